import { ownEntry } from "../../model/json.ts";
import type { Place } from "../../model/place.ts";
import type { LiveRun, Visit } from "../../model/run.ts";
import { isLive, outputKey, tokenOf } from "../../model/run-state.ts";
import { jumpKey } from "../evolve/evolve-failures.ts";
import { findStep, type StepSettings } from "../step-settings.ts";
import type { EventDraft } from "./decision.ts";
import type { Move } from "./enter-visit.ts";
import { enterStep, finishStep, finishTask, reasonAt, shortReason } from "./move.ts";

/** How a visit failed: the answer that is recorded, and whether a person can be asked what to do about it. */
export interface Failure {
  readonly answer: { readonly output: string; readonly fingerprint: string; readonly session?: string };
  /** For the person or the step that has to deal with it; by default the output. */
  readonly reason?: string;
  /** A program without people ends the run instead. */
  readonly unattended?: boolean | undefined;
}

/** Ends a failed attempt and does what its step says: try again, skip, go elsewhere, end the run, or ask a person. */
export function failVisit(move: Move, visit: Visit, settings: StepSettings, failure: Failure): void {
  const { answer, unattended, reason = answer.output } = failure;
  const { draft } = move;
  const { token, place } = visit;
  const way = wayOf(move, visit, settings, unattended === true);
  const retry = way === "retry" || way === "ask" ? nextAttempt(visit) : null;
  draft.record({ type: "visit-failed", token, place, key: outputKey(place), ...answer, retry });
  switch (way) {
    case "retry":
      return;
    case "ask":
      if (retry !== null) askPerson(draft, retry, "failed", reason);
      return;
    case "skip":
      skipVisit(move, visit);
      return;
    case "abort":
      closeOthers(draft, token);
      endTaskAndStep(draft, place);
      draft.record({ type: "run-failed", reason: reasonAt(outputKey(place), reason) });
      return;
    default: {
      const target = findStep(move.template, way.goTo);
      // The template was loaded with this step, so it is there unless another one was adopted unchecked.
      if (target === undefined) return;
      closeOthers(draft, token);
      draft.record({ type: "failure-routed", place, to: target.id });
      const text = reasonAt(outputKey(place), reason);
      enterStep({ ...move, note: { from: "failed-step", text } }, target, { from: place.step });
    }
  }
}

function nextAttempt({ place, number, attempt, claim }: Visit): string {
  return tokenOf(place, number, attempt + 1, claim?.number);
}

/** Whatever leaves a loop closes the tasks that others work on. */
export function closeOthers({ run, record }: EventDraft, token: string): void {
  const others = isLive(run) ? run.visits.filter((visit) => visit.token !== token) : [];
  for (const other of others) record({ type: "visit-closed", token: other.token, place: other.place, reason: "left" });
}

/** The visit stays open under this token until a person has decided. */
export function askPerson(draft: EventDraft, token: string, why: "failed" | "interrupted", reason: string): void {
  draft.record({ type: "decision-requested", token, why, reason: shortReason(reason) });
}

/** Goes on without the result of a visit that has been closed: with the next task, or with the next step. */
export function skipVisit(move: Move, { place, number }: Visit): void {
  if (place.type === "sub-step") finishTask(move, place, number, "failed");
  else finishStep(move, place.step, "failed");
}

type Way = "retry" | "skip" | "abort" | "ask" | { readonly goTo: string };

/** Retries and jumps are counted from the last time that a person decided. */
function wayOf({ draft, template }: Move, visit: Visit, settings: StepSettings, unattended: boolean): Way {
  const { onFail, maxRetries } = settings;
  const last = unattended ? "abort" : "ask";
  if (onFail === "skip" || onFail === "abort") return onFail;
  if (onFail === "ask") return last;
  if (onFail === "retry") return visit.attempt - (visit.decidedAt ?? 1) < maxRetries ? "retry" : last;
  const taken = draft.run.status === "absent" ? 0 : jumpsOf(draft.run, visit.place);
  return taken < maxRetries && findStep(template, onFail.goTo) !== undefined ? onFail : last;
}

function jumpsOf({ jumps = {} }: Pick<LiveRun, "jumps">, place: Place): number {
  return ownEntry(jumps, jumpKey(place)) ?? 0;
}

function endTaskAndStep(draft: EventDraft, place: Place): void {
  if (place.type === "sub-step") {
    const { step: loop, index, task } = place;
    draft.record({ type: "task-ended", loop, index, task, status: "failed" });
  }
  draft.record({ type: "step-ended", step: place.step, status: "failed" });
}
