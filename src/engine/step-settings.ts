import type { Gate } from "../model/gate.ts";
import type { VariableValue } from "../model/ids.ts";
import { ownEntry } from "../model/json.ts";
import type { Place } from "../model/place.ts";
import type { RunStatus } from "../model/run.ts";
import type { PhaseStatus } from "../model/status.ts";
import type { Budget, Step, SubStep, TaskSource, Template } from "../model/template.ts";
import { commandIn } from "../model/variables/command-in.ts";
import type { Hints } from "../model/visit-rules.ts";
import type { ContextActionName } from "../model/workflow-type.ts";

/** The template's settings for one place, with defaults. */
export interface StepSettings {
  readonly instructions: string;
  readonly agent: string | null;
  readonly action: ContextActionName | null;
  /** `ask` waits for a person, as does `retry` or a jump that has been taken too often. */
  readonly onFail: "retry" | "skip" | "abort" | "ask" | { readonly goTo: string };
  readonly maxRetries: number;
  readonly gates: readonly Gate[];
  readonly budget: Budget | null;
  /** What the sub-step says, else the step, else the agent. */
  readonly hints: Hints;
}

/** Null if the template has no such place, for example because it was changed while the run was live. */
export function stepSettings(template: Template, place: Place): StepSettings | null {
  const step = findStep(template, place.step);
  if (step === undefined) return null;
  if (sourceAt(template, place) !== null) return { ...settingsOfStep(step), ...ofNoAgent };
  if (place.type !== "sub-step") return withHints(template, settingsOfStep(step), [step]);
  const subStep = subStepsOf(template, place.step).find((candidate) => candidate.id === place.subStep);
  return subStep === undefined ? null : withHints(template, settingsOfSubStep(step, subStep), [step, subStep]);
}

type OwnSettings = Omit<StepSettings, "hints">;

function withHints({ agents = {} }: Template, settings: OwnSettings, steps: readonly (Step | SubStep)[]): StepSettings {
  const agent = ownEntry(agents, settings.agent ?? "");
  const hinting = [...(agent ? [agent] : []), ...steps].filter(hasHints);
  const hints = hinting.reduce<Hints>(
    (above, { model = above.model, effort = above.effort, tools = above.tools, permissions = above.permissions }) => ({
      ...(model && { model }),
      ...(effort && { effort }),
      ...(tools && { tools }),
      ...(permissions && { permissions }),
    }),
    {},
  );
  // Before the spread: adding a property to a spread copy is about 20 times slower (ADR 0016).
  return { hints, ...settings };
}

/** Most steps have none, and a call asks for the settings of its step up to ten times. */
function hasHints({ model, effort, tools, permissions }: Partial<Record<keyof Hints, unknown>>): boolean {
  return (model ?? effort ?? tools ?? permissions) !== undefined;
}

/** No agent gets the tasks; these settings of the loop are for the work on them. */
const ofNoAgent = { instructions: "", agent: null, action: null, budget: null, hints: {} } as const;

/** Where the visit gets the tasks of its loop from; null for every other visit. */
export function sourceAt(template: Template, place: Place): TaskSource | null {
  if (place.type !== "command") return null;
  const step = findStep(template, place.step);
  return (step?.type === "loop" && step.tasks) || null;
}

export function findStep(template: Template, id: string): Step | undefined {
  return template.steps.find((step) => step.id === id);
}

export function stepAfter(template: Template, id: string): Step | undefined {
  return template.steps[template.steps.findIndex((step) => step.id === id) + 1];
}

export function subStepsOf(template: Template, loop: string): readonly SubStep[] {
  return ownEntry(template.loops ?? {}, loop) ?? [];
}

/** How many tasks of a loop may be open at once; null for a loop without `parallel`. */
export function parallelOf(template: Template, loop: string): number | null {
  const step = findStep(template, loop);
  return (step?.type === "loop" && step.parallel) || null;
}

export function outcomesOf(template: Template, place: Place): Readonly<Record<string, string>> | null {
  const step = findStep(template, place.step);
  return step?.type === "action" ? (step.outcomes ?? null) : null;
}

const defaultRetries = 3;

function settingsOfStep(step: Step): OwnSettings {
  return {
    instructions: step.instructions ?? "",
    agent: step.agent ?? null,
    action: step.context ?? null,
    onFail: onFailOf(step.on_fail) ?? "ask",
    maxRetries: step.max_retries ?? defaultRetries,
    gates: step.type === "loop" ? [] : (step.gate ?? []),
    budget: step.budget ?? null,
  };
}

function onFailOf(given: Step["on_fail"]): StepSettings["onFail"] | undefined {
  return typeof given === "object" ? { goTo: given.go_to } : given;
}

function settingsOfSubStep(step: Step, subStep: SubStep): OwnSettings {
  return {
    instructions: subStep.instructions,
    agent: subStep.agent ?? step.agent ?? null,
    action: subStep.context ?? step.context ?? null,
    onFail: onFailOf(subStep.on_fail) ?? "retry",
    maxRetries: subStep.max_retries ?? defaultRetries,
    gates: subStep.gate ?? [],
    budget: subStep.budget ?? step.budget ?? null,
  };
}

/** Whether a visit ends as soon as its loop has tasks, and in no other way. */
export function waitsForTasks(template: Template, place: Place): boolean {
  return place.type === "loop" || sourceAt(template, place) !== null;
}

/** A source without a command, in words. */
export function sourceText(source: Exclude<TaskSource, { run: unknown }>): string {
  return "file" in source ? `tasks from ${source.file}` : `tasks from the output of ${source.output}`;
}

/** What Holdfast runs at a place, and whether it may run again by itself; null if it runs nothing there. */
export function commandAt(
  template: Template,
  values: Readonly<Record<string, VariableValue>>,
  place: Place,
): { readonly check: ExecutedCheck; readonly repeatable: boolean } | null {
  if (place.type !== "command") return null;
  const step = findStep(template, place.step);
  const own = step?.type === "command" ? step : sourceAt(template, place);
  if (own === null || !("run" in own)) return null;
  return { check: stepCommand(template, values, own), repeatable: own.repeatable === true };
}

/** The command of a step or of the source of its tasks: its own, or the one in a variable. */
export function stepCommand(
  template: Pick<Template, "variables">,
  values: Readonly<Record<string, VariableValue>>,
  { run, timeout }: Pick<Extract<Step, { type: "command" }>, "run" | "timeout">,
): ExecutedCheck {
  const limit = timeout === undefined ? {} : { timeout };
  const isVariable = typeof run === "object" && "command" in run;
  const check: ExecutedCheck = isVariable ? { command: run.command, ...limit } : { run, ...limit };
  return resolveChecks(template, values, [check])[0] ?? check;
}

export type ExecutedCheck = Extract<Gate, { run: unknown } | { command: unknown }>;

/**
 * The checks with the commands in place of the variables that hold them. A check whose variable has no value, or is not
 * of type `command`, stays as it is, and cannot pass.
 */
export function resolveChecks<C extends Gate>(
  template: Pick<Template, "variables">,
  values: Readonly<Record<string, VariableValue>>,
  checks: readonly C[],
): readonly C[] {
  return checks.map((check) => {
    const command = "command" in check ? commandIn(template, values, check.command) : null;
    if (!("command" in check) || command === null) return check;
    // A union with `command` has `run`, too, which the type of the list cannot express.
    return { run: command, ...(check.timeout !== undefined && { timeout: check.timeout }) } as Gate as C;
  });
}

export interface Phase {
  readonly name: string;
  readonly steps: readonly string[];
}

/** Groups consecutive steps of the same phase; a step without a phase is a phase of its own. */
export function phasesOf(template: Template): readonly Phase[] {
  const phases: { name: string; steps: string[]; shared: boolean }[] = [];
  for (const step of template.steps) {
    const last = phases.at(-1);
    if (last?.shared && last.name === step.phase) last.steps.push(step.id);
    else phases.push({ name: step.phase ?? step.id, steps: [step.id], shared: step.phase !== undefined });
  }
  return phases.map(({ name, steps }) => ({ name, steps }));
}

/** The index of the phase that contains a step; -1 if the template has no such step. */
export function phaseIndex(template: Template, step: string): number {
  return indexIn(phasesOf(template), step);
}

function indexIn(phases: readonly Phase[], step: string): number {
  return phases.findIndex((phase) => phase.steps.includes(step));
}

export function phaseAt(template: Template, step: string, status: RunStatus): PhaseStatus {
  const phases = phasesOf(template);
  const index = indexIn(phases, step);
  return { current: index + 1, total: phases.length, name: phases[index]?.name ?? step, status: wording[status] };
}

const wording: { readonly [S in RunStatus]: PhaseStatus["status"] } = {
  running: "in_progress",
  waiting: "blocked",
  review: "blocked",
  paused: "blocked",
  complete: "completed",
  failed: "blocked",
  aborted: "blocked",
};
