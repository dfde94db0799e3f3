import {
  parallelOf,
  phasesOf,
  resolveChecks,
  sourceText,
  stepCommand,
  stepSettings,
  subStepsOf,
} from "../../engine/step-settings.ts";
import type { Place } from "../../model/place.ts";
import { isApproval } from "../../model/run-state.ts";
import type { SubStep, TaskSource, Template } from "../../model/template.ts";
import { describeCheck } from "../gates/describe-check.ts";

export interface Graph {
  readonly name: string;
  readonly steps: readonly GraphStep[];
  readonly moves: readonly GraphMove[];
}

/** What happens before and after the work of a step or sub-step. */
export interface GraphChecks {
  /** The condition on which it is entered. */
  readonly when: string | null;
  /** The context action before it. */
  readonly context: string | null;
  readonly gates: readonly string[];
  /** Whether a person has to approve it. */
  readonly approval: boolean;
  /** For whoever drives the agent: `model opus`. */
  readonly hints: readonly string[];
}

export interface GraphStep extends GraphChecks {
  readonly id: string;
  readonly type: string;
  readonly phase: string;
  /** What a command step runs. */
  readonly command: string | null;
  /** Where a loop gets its tasks from. */
  readonly tasks: string | null;
  /** How many tasks of a loop are open at a time; null for one. */
  readonly parallel: number | null;
  /** Of a ralph step: how many passes, and the checks that end it earlier. */
  readonly passes: number | null;
  readonly until: readonly string[];
  readonly subSteps: readonly (GraphChecks & { readonly id: string })[];
}

export interface GraphMove {
  readonly from: string;
  readonly to: string;
  readonly outcome: string | null;
  /** The context action of this transition. */
  readonly context: string | null;
}

export function graphOf(template: Template): Graph {
  const phases = phasesOf(template);
  const steps = template.steps.map(
    (step): GraphStep => ({
      id: step.id,
      type: step.type,
      phase: phases.find((phase) => phase.steps.includes(step.id))?.name ?? step.id,
      // A loop hands its context action down to its sub-steps.
      ...checksOf(template, step.type === "loop" ? { gate: [], when: step.when } : step),
      command: step.type === "command" ? describeCheck(stepCommand(template, {}, step)) : null,
      tasks: step.type === "loop" ? tasksText(template, step.tasks) : null,
      parallel: parallelOf(template, step.id),
      passes: step.type === "ralph" ? step.n : null,
      until: step.type === "ralph" ? resolveChecks(template, {}, step.until ?? []).map(describeCheck) : [],
      hints: step.type === "loop" ? [] : hintsOf(template, { type: "action", step: step.id }),
      subSteps: subStepsOf(template, step.id).map(({ id, gate, when, context = step.context }) => ({
        id,
        ...checksOf(template, { gate, when, context }),
        hints: hintsOf(template, { type: "sub-step", step: step.id, index: 0, task: "", subStep: id }),
      })),
    }),
  );
  const contextOf = (from: string, to: string) =>
    template.transitions?.find((each) => each.from === from && each.to === to && each.reason === undefined)?.context ??
    null;
  const moves = template.steps.flatMap((step, index): Graph["moves"] => {
    const next = template.steps[index + 1]?.id ?? "complete";
    const outcomes = step.type === "action" ? Object.entries(step.outcomes ?? {}) : [];
    const move = (to: string, outcome: string | null) => ({
      from: step.id,
      to,
      outcome,
      context: contextOf(step.id, to),
    });
    const failures = [step, ...subStepsOf(template, step.id)].flatMap(({ on_fail: onFail }) =>
      typeof onFail === "object" ? [move(onFail.go_to, "failed")] : [],
    );
    if (outcomes.length === 0) return [move(next, null), ...failures];
    return [...outcomes.map(([outcome, to]) => move(to === "next" ? next : to, outcome)), ...failures];
  });
  return { name: template.name, steps, moves };
}

function tasksText(template: Template, source: TaskSource | undefined): string | null {
  if (source === undefined) return null;
  return "run" in source ? `tasks from: ${describeCheck(stepCommand(template, {}, source))}` : sourceText(source);
}

function checksOf(
  template: Template,
  { gate, when, context }: Pick<SubStep, "gate" | "when" | "context">,
): Omit<GraphChecks, "hints"> {
  const gates = resolveChecks(template, {}, gate ?? []);
  return {
    when: when ?? null,
    context: context ?? null,
    gates: gates.flatMap((each) => (isApproval(each) ? [] : [describeCheck(each)])),
    approval: gates.some(isApproval),
  };
}

/** A loop hands its hints down to its sub-steps. */
function hintsOf(template: Template, place: Place): string[] {
  const { agent = null, hints = {} } = stepSettings(template, place) ?? {};
  const { model, effort, tools, permissions } = hints;
  return [
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(effort === undefined ? [] : [`effort ${effort}`]),
    // Those of an agent are many, and stand with it.
    ...(tools === undefined || agent !== null ? [] : [`tools ${tools.join(", ")}`]),
    ...(permissions === undefined ? [] : [`permissions ${permissions}`]),
  ];
}
