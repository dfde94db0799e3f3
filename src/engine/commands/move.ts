import type { Note, Pivot } from "../../model/carry.ts";
import { type Place, tokenOf } from "../../model/place.ts";
import type { LoopFacts, StartedRun, Visit } from "../../model/run.ts";
import { isApproval } from "../../model/run-state.ts";
import type { Step, Template, TransitionReason } from "../../model/template.ts";
import { ownEntry } from "../own-entry.ts";
import { phaseIndex, phasesOf } from "../phases.ts";
import { stepAfter, stepSettings, subStepsOf } from "../step-settings.ts";
import type { EventDraft } from "./decision.ts";

/** What every move needs: the template, the events so far and the session. */
export interface Move {
  readonly template: Template;
  readonly draft: EventDraft;
  readonly session?: string | undefined;
  /** A note for the next visit. */
  readonly note?: Note | null;
  /** No agent reads the reply to this move. */
  readonly unread?: boolean | undefined;
}

/** Enters a step at its first place; for a loop, at the first pending task. */
export function enterStep(move: Move, step: Step, from: string | null, reason: TransitionReason | null = null): void {
  const number = (ownEntry(factsOf(move).steps, step.id)?.visits ?? 0) + 1;
  const arrival: Arrival = { from, reason, note: null };
  switch (step.type) {
    case "action":
      enter(move, { type: "action", step: step.id }, number, arrival);
      return;
    case "ralph":
      enter(move, { type: "ralph", step: step.id, iteration: 1 }, number, arrival);
      return;
    case "loop":
      enterLoop(move, step, number, arrival);
      return;
  }
}

/** Continues after a step: with the next one, or with the end of the run. */
function goOn(move: Move, step: string): void {
  const next = stepAfter(move.template, step);
  if (next === undefined) move.draft.record({ type: "run-completed" });
  else enterStep(move, next, step);
}

/** Continues after a place: next iteration, next sub-step, next task or next step. */
export function goOnFrom(move: Move, { place, number }: Visit, untilHeld: boolean): void {
  if (place.type === "sub-step") {
    const subSteps = subStepsOf(move.template, place.step);
    const next = subSteps[subSteps.findIndex((subStep) => subStep.id === place.subStep) + 1];
    if (next === undefined) finishTask(move, place, number, "done");
    else enter(move, { ...place, subStep: next.id }, number, within);
    return;
  }
  const again = place.type === "ralph" && !untilHeld && place.iteration < iterationsOf(move.template, place.step);
  if (again) enter(move, { ...place, iteration: place.iteration + 1 }, number, within);
  else finishStep(move, place.step, "done");
}

export function finishStep(move: Move, step: string, status: "done" | "skipped" | "failed"): void {
  move.draft.record({ type: "step-ended", step, status });
  goOn(move, step);
}

export function finishTask(
  move: Move,
  place: Extract<Place, { type: "sub-step" }>,
  number: number,
  status: "done" | "failed",
): void {
  move.draft.record({ type: "task-ended", loop: place.step, index: place.index, task: place.task, status });
  const loop = ownEntry(factsOf(move).loops, place.step);
  if (loop === undefined || loop.next >= loop.tasks.length) finishStep(move, place.step, "done");
  else enterTask(move, place.step, loop, number, within);
}

/** Enters the first pending task, at its first sub-step. */
export function enterTask(move: Move, step: string, loop: LoopFacts, number: number, arrival: Arrival): void {
  const task = loop.tasks[loop.next];
  const subStep = subStepsOf(move.template, step)[0];
  if (task === undefined || subStep === undefined) finishStep(move, step, "skipped");
  else enter(move, { type: "sub-step", step, index: loop.next, task: task.id, subStep: subStep.id }, number, arrival);
}

/** How the run came to a visit: the step it left (null within a step), the reason, and a note for the agent. */
interface Arrival {
  readonly from: string | null;
  readonly reason: TransitionReason | null;
  readonly note: Note | null;
}

const within: Arrival = { from: null, reason: null, note: null };

function enterLoop(move: Move, step: Step, number: number, arrival: Arrival): void {
  const loop = ownEntry(factsOf(move).loops, step.id);
  if (loop?.status === "set") enterTask(move, step.id, loop, number, arrival);
  else enter(move, { type: "loop", step: step.id }, number, arrival);
}

function enter(move: Move, place: Place, number: number, arrival: Arrival): void {
  endCarries(factsOf(move), move.template, place.step, move.draft);
  const own = stepSettings(move.template, place)?.action ?? null;
  const transition = transitionTo(move.template, place.step, arrival);
  const session = move.session === undefined ? {} : { session: move.session };
  const action = own ?? transition?.context ?? null;
  move.draft.record({
    type: "visit-entered",
    token: tokenOf(place, number, 1),
    place,
    number,
    action,
    note: arrival.note ?? move.note ?? null,
    ...(transition && { carry: [...(transition.carry ?? [])] }),
    ...session,
    // A context action is handed out alone; the instructions come with a later call.
    ...((action !== null || move.unread === true) && { untaken: true as const }),
  });
}

/** The template's transition for this move; one that names the reason takes precedence. */
function transitionTo({ transitions = [] }: Template, to: string, { from, reason }: Arrival) {
  const fitting = transitions.filter((move) => move.from === from && move.to === to);
  const exact = fitting.find((move) => move.reason !== undefined && move.reason === reason);
  return exact ?? fitting.find((move) => move.reason === undefined);
}

function iterationsOf(template: Template, id: string): number {
  const step = template.steps.find((candidate) => candidate.id === id);
  return step?.type === "ralph" ? step.n : 1;
}

function factsOf({ draft }: Move) {
  if (draft.run.status === "absent") throw new Error("a move needs a started run");
  return draft.run;
}

/** Where and why, truncated for the state; the journal has the full text. */
export function reasonAt(where: string, text: string): string {
  const characters = [...text.trim()];
  const short = characters.length > 500 ? `${characters.slice(0, 500).join("")}…` : characters.join("");
  return short === "" ? where : `${where}: ${short}`;
}

/** Ends carried texts when the run reaches a step that they were not meant for. */
function endCarries({ carried, questions }: StartedRun, template: Template, step: string, draft: EventDraft): void {
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
