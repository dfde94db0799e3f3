import type { Claimant } from "../../model/command.ts";
import type { Visit } from "../../model/run.ts";
import { canGoOn, claimsOf, isLive, withClaim } from "../../model/run-state.ts";
import type { EventDraft } from "./decision.ts";
import { seatOf } from "./find-target-visit.ts";

/** A session that has had no visit of this run has nothing to compact or to clear. */
export function claimVisit(draft: EventDraft, visit: Visit, { session, worktree = null, clone }: Claimant): void {
  const { run } = draft;
  if (!isLive(run)) return;
  const number = (run.claims ?? 0) + 1;
  const hasWorked = session === undefined || seatOf(run, session) !== undefined;
  const action = visit.action === null ? {} : { action: hasWorked ? ("due" as const) : ("none" as const) };
  draft.record({
    type: "visit-claimed",
    token: visit.token,
    as: withClaim(visit.token, number),
    claim: number,
    ...(session !== undefined && { session }),
    worktree,
    ...(clone !== undefined && { clone }),
    ...action,
    ...(visit.action !== null && hasWorked && { untaken: true as const }),
  });
}

/** Whoever has just ended a task, or entered the loop, goes on with the next one, unless it still has one to work on. */
export function claimNext(draft: EventDraft, claimant: Claimant): void {
  const { run, events } = draft;
  if (!isLive(run)) return;
  // The next sub-step of a task is for whoever has its token, also without a session or on behalf of another one.
  if (events.some((event) => event.type === "visit-entered" && event.claim != null)) return;
  if (claimsOf(run, claimant.session).some((visit) => canGoOn(run, visit))) return;
  const free = run.visits.find((visit) => visit.claim === null && canGoOn(run, visit));
  if (free !== undefined) claimVisit(draft, free, claimant);
}

export function releaseClaim(
  draft: EventDraft,
  { token, claim: held }: Visit,
  who: { readonly session?: string; readonly by?: string },
): void {
  if (held == null) return;
  draft.record({ type: "claim-released", token, as: withClaim(token, null), claim: held.number, ...who });
}
