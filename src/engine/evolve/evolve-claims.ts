import type { EventOf } from "../../model/event.ts";
import type { LiveRun, Visit } from "../../model/run.ts";
import type { Changes } from "./changes.ts";
import { seat } from "./evolve-visits.ts";

/** How many lost claims the state keeps, to tell their holders. The journal has all of them. */
const remembered = 128;

export function claimVisit(run: LiveRun, event: EventOf<"visit-claimed">): Changes {
  const { token, as, claim, session, worktree, clone, action, untaken, at } = event;
  const claimed = ({ untaken: _untaken, ...visit }: Visit): Visit => ({
    ...visit,
    token: as,
    claim: { number: claim, session: session ?? null, since: at, worktree, ...(clone !== undefined && { clone }) },
    action: action === "none" || visit.action === null ? null : { ...visit.action, status: "due" },
    ...(untaken && { untaken }),
  });
  return {
    ...(session !== undefined && seat(run, { session, token: as, at })),
    ...rename(run, token, claimed),
    claims: claim,
  };
}

export function loseClaim(run: LiveRun, { token, as, claim }: EventOf<"claim-lost">): Changes {
  const lost = (visit: Visit): Visit => ({ ...unclaimed(visit, as), lost: (visit.lost ?? 0) + 1 });
  return { ...rename(run, token, lost), lostClaims: forgetClaims(run, [claim]) };
}

export function releaseClaim(run: LiveRun, { token, as, claim }: EventOf<"claim-released">): Changes {
  return { ...rename(run, token, (visit) => unclaimed(visit, as)), lostClaims: forgetClaims(run, [claim]) };
}

export function forgetClaims({ lostClaims = [] }: LiveRun, claims: readonly number[]): readonly number[] {
  return [...lostClaims, ...claims].slice(-remembered);
}

/**
 * Anyone may claim the visit. Whoever does is given its instructions, and asks anew for an approval: a person approves what
 * an agent has submitted, and the next one does not know that.
 */
export function unclaimed({ approved: _approved, ...visit }: Visit, token: string): Visit {
  return { ...visit, token, claim: null, untaken: true, approval: "none", checking: null };
}

/** The visit has a new token, and so have its questions. */
function rename(run: LiveRun, token: string, change: (visit: Visit) => Visit): Changes {
  const visit = run.visits.find((open) => open.token === token);
  if (visit === undefined) return {};
  const renamed = change(visit);
  const visits = run.visits.map((open) => (open === visit ? renamed : open));
  if (run.questions.every((each) => each.token !== token)) return { visits };
  const asked = run.questions.map((each) => (each.token === token ? { ...each, token: renamed.token } : each));
  return { visits, questions: asked };
}
