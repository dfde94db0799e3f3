import type { Note, Pivot } from "../../model/carry.ts";
import type { Place } from "../../model/place.ts";
import type { StartedRun, Visit } from "../../model/run.ts";
import { isApproval, tokenOf } from "../../model/run-state.ts";
import type { Step, Template, TransitionReason } from "../../model/template.ts";
import type { ContextActionName } from "../../model/workflow-type.ts";
import { phaseIndex, phasesOf, stepSettings } from "../step-settings.ts";
import type { EventDraft, Outputs } from "./decision.ts";

/** What every move needs: the template, the events so far and the session. */
export interface Move {
  readonly template: Template;
  readonly draft: EventDraft;
  /** The outputs that conditions read, with that of the visit which ends now. */
  readonly outputs: Outputs;
  readonly session?: string | undefined;
  /** A note for the next visit. */
  readonly note?: Note | null;
  /** No agent reads the reply to this move. */
  readonly unread?: boolean | undefined;
  /** The worktree that the session works in, and its clone. */
  readonly worktree?: string | null | undefined;
  readonly clone?: string | undefined;
}

/** How the run came to a visit: the step it left (null within a step), the reason, and a note for the agent. */
export interface Arrival {
  readonly from: string | null;
  readonly reason: TransitionReason | null;
  readonly note: Note | null;
  /** A context action that is due since the visit before, which no agent worked on. */
  readonly due?: ContextActionName | null;
}

export const within: Arrival = { from: null, reason: null, note: null };

/** Opens a visit, whatever the condition of its step says. */
export function enterVisit(move: Move, place: Place, number: number, arrival: Arrival, claim?: Visit["claim"]): void {
  endCarries(factsOf(move), move.template, place.step, move.draft);
  const own = stepSettings(move.template, place)?.action ?? null;
  const transition = transitionTo(move.template, place.step, arrival);
  const session = move.session === undefined || claim === null ? {} : { session: move.session };
  const action = own ?? transition?.context ?? arrival.due ?? null;
  move.draft.record({
    type: "visit-entered",
    token: tokenOf(place, number, 1, claim?.number),
    place,
    number,
    action,
    note: arrival.note ?? move.note ?? null,
    ...(transition && { carry: [...(transition.carry ?? [])] }),
    ...session,
    ...(claim !== undefined && { claim }),
    // A context action is handed out alone; the instructions come with a later call, and with the claim of a task.
    ...((action !== null || move.unread === true || claim === null) &&
      place.type !== "command" && { untaken: true as const }),
  });
}

/** The template's transition for this move; one that names the reason takes precedence. */
function transitionTo({ transitions = [] }: Template, to: string, { from, reason }: Arrival) {
  const fitting = transitions.filter((move) => move.from === from && move.to === to);
  const exact = fitting.find((move) => move.reason !== undefined && move.reason === reason);
  return exact ?? fitting.find((move) => move.reason === undefined);
}

export function factsOf({ draft }: Move) {
  if (draft.run.status === "absent") throw new Error("a move needs a started run");
  return draft.run;
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
