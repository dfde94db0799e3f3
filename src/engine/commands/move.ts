import { ownEntry } from "../../model/json.ts";
import type { Place } from "../../model/place.ts";
import type { LiveRun, LoopFacts, Visit } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Step, Template, TransitionReason } from "../../model/template.ts";
import { parallelOf, stepAfter, subStepsOf } from "../step-settings.ts";
import { blockedBy, firstReady } from "../task-graph.ts";
import { claimNext } from "./claim-visit.ts";
import { isEntered } from "./conditions.ts";
import { type Arrival, enterVisit, factsOf, type Move, within } from "./enter-visit.ts";

/** How a step is entered. */
export interface Entry {
  /** The step that the run leaves; null at its start. */
  readonly from: string | null;
  readonly reason?: TransitionReason | null;
  /** A person named this step, so its condition does not count. */
  readonly byPerson?: boolean;
}

/** Enters a step at its first place; for a loop, at the first pending task. */
export function enterStep(move: Move, step: Step, { from, reason = null, byPerson = false }: Entry): void {
  walk(move, { type: "step", step, byPerson, arrival: { from, reason, note: null } });
}

/** Continues after a place: next iteration, next sub-step, next task or next step. */
export function goOnFrom(move: Move, { place, number, claim }: Visit, untilHeld: boolean): void {
  if (place.type === "sub-step") {
    walk(move, afterSubStep(move, { place, number, claim, arrival: within }));
    return;
  }
  const again = place.type === "ralph" && !untilHeld && place.iteration < iterationsOf(move.template, place.step);
  if (again) enterVisit(move, { ...place, iteration: place.iteration + 1 }, number, within);
  else finishStep(move, place.step, "done");
}

export function finishStep(move: Move, step: string, status: "done" | "skipped" | "failed"): void {
  move.draft.record({ type: "step-ended", step, status });
  walk(move, { type: "after", step, arrival: { ...within, from: step } });
}

export function finishTask(move: Move, place: SubStepPlace, number: number, status: "done" | "failed"): void {
  endTask(move, place, status);
  walk(move, { type: "task", step: place.step, number, arrival: within });
}

/** Enters the first pending task, at its first sub-step. */
export function enterTask(move: Move, step: string, number: number, arrival: Partial<Arrival>): void {
  walk(move, { type: "task", step, number, arrival: { ...within, ...arrival } });
}

type SubStepPlace = Extract<Place, { type: "sub-step" }>;

/** Where a move could lead next. */
type Candidate = { readonly arrival: Arrival } & (
  | { readonly type: "step"; readonly step: Step; readonly byPerson: boolean }
  | { readonly type: "after"; readonly step: string }
  | { readonly type: "task"; readonly step: string; readonly number: number }
  | ({ readonly type: "sub-step" } & Pick<InTask, "place" | "number" | "claim">)
);

/** A place in a task, and who goes on with the task in a loop with `parallel`. */
interface InTask {
  readonly place: SubStepPlace;
  readonly number: number;
  readonly claim: Visit["claim"];
  readonly arrival: Arrival;
}

/** Tries one candidate after the other until a visit is entered or the run ends. A loop, because thousands may be skipped. */
function walk(move: Move, first: Candidate): void {
  let candidate: Candidate | null = first;
  while (candidate !== null) candidate = attempt(move, candidate);
  const { run } = move.draft;
  const hasFree = isLive(run) && run.visits.some(({ claim }) => claim === null);
  if (hasFree && move.unread !== true) claimNext(move.draft, move);
}

/** Enters the candidate, or records that it is skipped and returns the next one. */
function attempt(move: Move, candidate: Candidate): Candidate | null {
  const { arrival } = candidate;
  switch (candidate.type) {
    case "step":
      return attemptStep(move, candidate.step, candidate.byPerson, arrival);
    case "after": {
      const step = stepAfter(move.template, candidate.step);
      if (step !== undefined) return { type: "step", step, byPerson: false, arrival };
      move.draft.record({ type: "run-completed" });
      return null;
    }
    case "task":
      return nextTask(move, candidate.step, candidate.number, arrival);
    case "sub-step":
      return attemptSubStep(move, candidate);
  }
}

function attemptStep(move: Move, step: Step, byPerson: boolean, arrival: Arrival): Candidate | null {
  const facts = factsOf(move);
  const place = firstPlace(step);
  if (step.when !== undefined && !byPerson && !isEntered(move, step.when, place)) {
    move.draft.record({ type: "step-skipped", place, when: step.when });
    return { type: "after", step: step.id, arrival };
  }
  const number = (ownEntry(facts.steps, step.id)?.visits ?? 0) + 1;
  if (step.type === "loop" && ownEntry(facts.loops, step.id)?.status === "set") {
    return { type: "task", step: step.id, number, arrival };
  }
  enterVisit(move, place, number, arrival);
  return null;
}

export function firstPlace(step: Step): Place {
  switch (step.type) {
    case "action":
    case "command":
      return { type: step.type, step: step.id };
    case "loop":
      return { type: step.tasks === undefined ? "loop" : "command", step: step.id };
    case "ralph":
      return { type: "ralph", step: step.id, iteration: 1 };
  }
}

/** The first task that can begin, at its first sub-step. Null if others are open; what follows the loop if none is left. */
function nextTask(move: Move, step: string, number: number, arrival: Arrival): Candidate | null {
  const run = factsOf(move);
  const loop = ownEntry(run.loops, step);
  const open = isLive(run) ? openIn(run, step) : new Set<number>();
  const most = parallelOf(move.template, step);
  if (open.size >= (most ?? 1)) return null;
  const index = loop === undefined ? null : firstReady(loop, open);
  const task = index === null ? undefined : loop?.tasks[index];
  const subStep = subStepsOf(move.template, step)[0];
  if (index !== null && task !== undefined && subStep !== undefined) {
    const place: SubStepPlace = { type: "sub-step", step, index, task: task.id, subStep: subStep.id };
    return { type: "sub-step", place, number, claim: most === null ? undefined : null, arrival };
  }
  if (open.size > 0) return null;
  move.draft.record({ type: "step-ended", step, status: hasWorked(loop) ? "done" : "skipped" });
  return { type: "after", step, arrival: { ...within, from: step } };
}

/** The indexes of the loop's open tasks. */
function openIn({ visits }: LiveRun, loop: string): ReadonlySet<number> {
  const open = new Set<number>();
  for (const { place } of visits) if (place.type === "sub-step" && place.step === loop) open.add(place.index);
  return open;
}

function hasWorked(loop: LoopFacts | undefined): boolean {
  return loop !== undefined && loop.next > 0 && loop.next >= loop.tasks.length;
}

function attemptSubStep(move: Move, here: InTask): Candidate | null {
  const { place, number, claim, arrival } = here;
  const when = subStepsOf(move.template, place.step).find(({ id }) => id === place.subStep)?.when;
  if (when === undefined || isEntered(move, when, place)) {
    // A template that was adopted since may have made the loop one for several agents.
    const isShared = claim === undefined && parallelOf(move.template, place.step) !== null;
    enterVisit(move, place, number, arrival, isShared ? null : claim);
    return { type: "task", step: place.step, number, arrival: within };
  }
  move.draft.record({ type: "step-skipped", place, when });
  return afterSubStep(move, here);
}

/** The next sub-step of the task; after the last one, the next task. */
function afterSubStep(move: Move, { place, number, claim, arrival }: InTask): Candidate {
  const subSteps = subStepsOf(move.template, place.step);
  const next = subSteps[subSteps.findIndex((subStep) => subStep.id === place.subStep) + 1];
  if (next !== undefined) return { type: "sub-step", place: { ...place, subStep: next.id }, number, claim, arrival };
  endTask(move, place, "done");
  return { type: "task", step: place.step, number, arrival };
}

function endTask(move: Move, { step: loop, index, task }: SubStepPlace, status: "done" | "failed"): void {
  move.draft.record({ type: "task-ended", loop, index, task, status });
  if (status === "failed") skipBlocked(move, loop, task);
}

/** Ends the tasks that can no longer be done because another one was not. */
export function skipBlocked(move: Move, loop: string, failed: string): void {
  const facts = ownEntry(factsOf(move).loops, loop);
  for (const { index, because } of facts === undefined ? [] : blockedBy(facts, failed)) {
    const task = facts?.tasks[index]?.id ?? "";
    move.draft.record({ type: "task-ended", loop, index, task, status: "skipped", because });
  }
}

function iterationsOf(template: Template, id: string): number {
  const step = template.steps.find((candidate) => candidate.id === id);
  return step?.type === "ralph" ? step.n : 1;
}

/** Where and why, truncated for the state; the journal has the full text. */
export function reasonAt(where: string, text: string): string {
  const short = shortReason(text);
  return short === "" ? where : `${where}: ${short}`;
}

export function shortReason(text: string): string {
  const characters = [...text.trim()];
  return characters.length > 500 ? `${characters.slice(0, 500).join("")}…` : characters.join("");
}
