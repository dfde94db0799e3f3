import { type Condition, membersOf, parseCondition, stepRoots } from "../../model/condition/condition.ts";
import { conditionHolds } from "../../model/condition/condition-value.ts";
import { ownEntry } from "../../model/json.ts";
import type { Place } from "../../model/place.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import { conditionState } from "../condition-state.ts";
import type { Outputs } from "./decision.ts";
import { factsOf, type Move } from "./enter-visit.ts";

/** How many characters of an output a condition reads. */
export const conditionOutputLimit = 65_536;

/**
 * Whether a place is entered: its condition is true now. One that cannot be parsed, which only an
 * unchecked template has, counts as true: nothing is left out by mistake.
 */
export function isEntered(move: Move, when: string, place: Place): boolean {
  const parsed = parseCondition(when, stepRoots);
  if (!parsed.ok) return true;
  const run = factsOf(move);
  const state = conditionState(move.template, run);
  return conditionHolds(parsed.condition, {
    state,
    run: { ...state, id: run.runId },
    variables: run.variables,
    outcomes: outcomesIn(run, parsed.condition),
    outputs: outputsIn(move.outputs, parsed.condition),
    task: taskAt(run, place),
  });
}

/** The steps whose outputs the conditions of a template read. */
export function outputsRead({ steps, loops = {} }: Template): readonly string[] {
  const conditions = [...steps, ...Object.values(loops).flat()].flatMap(({ when }) => {
    const parsed = when?.includes("outputs") ? parseCondition(when, stepRoots) : null;
    return parsed?.ok ? [parsed.condition] : [];
  });
  return [...new Set(conditions.flatMap((condition) => stepsNamed(condition, "outputs")))];
}

function stepsNamed(condition: Condition, root: "outputs" | "outcomes"): string[] {
  return membersOf(condition).flatMap((member) =>
    member.root === root && member.path[0] !== undefined ? [String(member.path[0])] : [],
  );
}

function outcomesIn(run: StartedRun, condition: Condition): Readonly<Record<string, string | null>> {
  const names = stepsNamed(condition, "outcomes");
  return Object.fromEntries(names.map((step) => [step, ownEntry(run.steps, step)?.outcome ?? null]));
}

function outputsIn(outputs: Outputs, condition: Condition): Readonly<Record<string, string | null>> {
  const names = stepsNamed(condition, "outputs");
  return Object.fromEntries(
    names.map((step) => [step, ownEntry(outputs, step)?.slice(0, conditionOutputLimit) ?? null]),
  );
}

function taskAt(run: StartedRun, place: Place) {
  if (place.type !== "sub-step") return null;
  const task = ownEntry(run.loops, place.step)?.tasks[place.index];
  return { id: place.task, title: task?.title ?? null, description: task?.description ?? null };
}
