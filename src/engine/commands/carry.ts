import type { Pivot } from "../../model/carry.ts";
import type { StartedRun } from "../../model/run.ts";
import { isApproval } from "../../model/run-state.ts";
import type { Step, Template } from "../../model/template.ts";
import { phaseIndex, phasesOf } from "../phases.ts";
import type { EventDraft } from "./event-draft.ts";

/** Ends carried texts when the run reaches a step that they were not meant for. */
export function endCarries(
  { carried, questions }: StartedRun,
  template: Template,
  step: string,
  draft: EventDraft,
): void {
  if (carried.pivot !== null && !planningSteps(template, carried.pivot).includes(step)) {
    draft.record({ type: "carry-ended", slot: "pivot" });
  }
  const left = questions.some(
    (each) => each.answer !== null && phaseIndex(template, each.step) !== phaseIndex(template, step),
  );
  if (left) draft.record({ type: "carry-ended", slot: "answers" });
}

/**
 * The steps in which a new plan is made and approved after a pivot: those of the phase that the run went back to. For a
 * step without a phase, these are the following steps that can send the plan back or ask a person, up to the step that
 * the pivot came from. Any other step means that the plan is approved.
 */
function planningSteps(template: Template, { from, to }: Pivot): readonly string[] {
  const start = template.steps.findIndex((step) => step.id === to);
  const [target, ...rest] = template.steps.slice(start);
  if (target?.phase !== undefined) {
    const together = phasesOf(template)[phaseIndex(template, to)]?.steps ?? [];
    return together.filter((step) => step === to || step !== from);
  }
  const end = rest.findIndex((step) => step.id === from || !isReview(step, to));
  return [to, ...rest.slice(0, end === -1 ? rest.length : end).map((step) => step.id)];
}

function isReview(step: Step, to: string): boolean {
  if (step.type !== "action") return false;
  return Object.values(step.outcomes ?? {}).includes(to) || (step.gate?.some(isApproval) ?? false);
}
