import { emptyProjection, type Projection, project } from "../../journal/projection.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Deps } from "../../operation/operation.ts";
import { focusAfter, focusOn } from "./focus.ts";
import { type Reply, replyTo } from "./reply.ts";

/** Rebuilds the reply of an earlier advance by folding the run up to that commit. */
export async function replyAgain(deps: Deps, standing: Standing, seq: number): Promise<Reply> {
  let then: Projection = emptyProjection;
  for await (const commit of deps.store.read(standing.run.runId)) {
    then = project(then, commit);
    if (!commit.events.some((event) => event.seq === seq)) continue;
    if (then.run.status === "absent") break;
    const focused = focusOn(deps, ownFocus(deps, then.run, commit.events));
    return { ...(await replyTo(focused, { ...then, run: then.run }, commit.events)), replayed: true };
  }
  throw new Error(`the journal of ${standing.run.runId} has no event ${seq}`);
}

/** Whoever repeats another session's advance is told that it was made, and not what that session works on. */
function ownFocus({ caller }: Deps, run: StartedRun, events: readonly RunEvent[]): string | null | undefined {
  const token = focusAfter(run, events);
  const visit = isLive(run) ? run.visits.find((open) => open.token === token) : undefined;
  const holder = visit?.claim?.session ?? null;
  return visit === undefined || holder === (caller.session ?? null) ? token : null;
}

/** The state remembers only the newest advances; a repetition of an older one is looked up in the journal. */
export async function recallAdvance(
  deps: Deps,
  standing: Standing,
  refusal: Refusal,
  sent: { readonly token: string | undefined; readonly fingerprint: string },
): Promise<Reply | null> {
  if (sent.token === undefined || !tooLate.includes(refusal.code)) return null;
  for await (const commit of deps.store.read(standing.run.runId)) {
    const answer = commit.events.find((event) => answers(event, sent));
    if (answer !== undefined) return replyAgain(deps, standing, answer.seq);
  }
  return null;
}

/** The refusals of an advance whose visit is not open any more. */
const tooLate: readonly string[] = ["step-stale", "run-ended", "claim-lost"];

function answers(event: RunEvent, sent: { readonly token: string | undefined; readonly fingerprint: string }): boolean {
  if (event.type !== "visit-ended" && event.type !== "visit-failed") return false;
  return event.token === sent.token && event.fingerprint === sent.fingerprint;
}
