import type { Gate } from "../model/gate.ts";
import type { Place } from "../model/place.ts";
import type { Budget, ContextActionName, Step, SubStep, Template } from "../model/template.ts";
import { own } from "./own-entry.ts";

/** What the template says of one place, its defaults filled in. */
export interface Rules {
  readonly instructions: string;
  readonly agent: string | null;
  readonly action: ContextActionName | null;
  readonly onFail: "retry" | "skip" | "abort";
  readonly maxRetries: number;
  readonly gates: readonly Gate[];
  readonly budget: Budget | null;
}

/** Null when the template has no such place, as after someone changed it under a run. */
export function rulesOf(template: Template, place: Place): Rules | null {
  const step = findStep(template, place.step);
  if (step === undefined) return null;
  if (place.type !== "sub-step") return rulesOfStep(step);
  const subStep = subStepsOf(template, place.step).find((candidate) => candidate.id === place.subStep);
  return subStep === undefined ? null : rulesOfSubStep(step, subStep);
}

export function findStep(template: Template, id: string): Step | undefined {
  return template.steps.find((step) => step.id === id);
}

export function stepAfter(template: Template, id: string): Step | undefined {
  return template.steps[template.steps.findIndex((step) => step.id === id) + 1];
}

export function subStepsOf(template: Template, loop: string): readonly SubStep[] {
  return own(template.loops ?? {}, loop) ?? [];
}

export function outcomesOf(template: Template, place: Place): Readonly<Record<string, string>> | null {
  const step = findStep(template, place.step);
  return step?.type === "action" ? (step.outcomes ?? null) : null;
}

const retriesByDefault = 3;

function rulesOfStep(step: Step): Rules {
  return {
    instructions: step.instructions ?? "",
    agent: step.agent ?? null,
    action: step.context ?? null,
    onFail: step.on_fail ?? "abort",
    maxRetries: step.max_retries ?? retriesByDefault,
    gates: step.type === "loop" ? [] : (step.gate ?? []),
    budget: step.budget ?? null,
  };
}

function rulesOfSubStep(step: Step, subStep: SubStep): Rules {
  return {
    instructions: subStep.instructions,
    agent: subStep.agent ?? step.agent ?? null,
    action: subStep.context ?? step.context ?? null,
    onFail: subStep.on_fail ?? "retry",
    maxRetries: subStep.max_retries ?? retriesByDefault,
    gates: subStep.gate ?? [],
    budget: subStep.budget ?? step.budget ?? null,
  };
}
