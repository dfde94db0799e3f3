import type { VisitTarget } from "../../model/command.ts";
import type { LiveRun, Run, SpentVisit, StartedRun, Visit } from "../../model/run.ts";
import { canGoOn, chosenOf, claimIn, claimsOf, isLive, withClaim } from "../../model/run-state.ts";
import { type Refused, refuse } from "./decision.ts";

export type Target = { readonly ok: true; readonly visit: Visit } | Refused;

/**
 * The visit an agent's command is for: the one it names, else the one its session works on, else the only open one. Nobody
 * works on a visit that has yet to be claimed.
 */
export function findTargetVisit(run: LiveRun, aim: VisitTarget): Target {
  const { token, session } = aim;
  if (token !== undefined) {
    const named = findByToken(run, token, session);
    const isUnclaimed = named.ok ? named.visit.claim === null : lacksClaim(run, aim);
    return isUnclaimed ? claimNeeded(run, session) : named;
  }
  const own = claimsOf(run, session);
  if (own.length > 0) {
    const visit = chosenOf(run, own);
    return visit === null ? ambiguous(own) : { ok: true, visit };
  }
  if (run.visits.some(({ claim }) => claim !== undefined)) return claimNeeded(run, session);
  const seat = seatOf(run, session);
  if (seat !== undefined) {
    const visit = openVisit(run, seat);
    return visit === undefined ? stale(run, seat, session, true) : { ok: true, visit };
  }
  const [only, ...others] = run.visits;
  return only === undefined || others.length > 0 ? ambiguous(run.visits) : { ok: true, visit: only };
}

/** Whether a caller without a session has left out the number of a claim that may be its own. */
function lacksClaim(run: LiveRun, { token, session }: VisitTarget): boolean {
  return session === undefined && claimsWithoutSession(run).some((visit) => withClaim(visit.token, null) === token);
}

/** The visit a person decides about: the one that they name, by token or by task, else the only one that waits for this. */
export function findDecidedVisit(run: LiveRun, aim: VisitTarget, waits: (visit: Visit) => boolean): Target {
  const { token, task } = aim;
  if (token !== undefined) return findByToken(run, token);
  const named = task === undefined ? run.visits : run.visits.filter(({ place }) => isTask(place, task));
  if (named.length === 0 && task !== undefined) return refuse({ code: "task-not-open", task, open: openTasks(run) });
  const waiting = named.filter(waits);
  const possible = waiting.length > 0 ? waiting : named;
  const [visit, ...others] = possible;
  if (visit !== undefined && others.length === 0) return { ok: true, visit };
  const tasks = possible.flatMap(({ place }) => (place.type === "sub-step" ? [place.task] : []));
  const open = possible.map((each) => each.token);
  return refuse({ code: "visit-ambiguous", open, ...(tasks.length > 0 && { tasks }) });
}

function findByToken(run: LiveRun, token: string, session?: string): Target {
  const visit = openVisit(run, token);
  if (visit !== undefined) return { ok: true, visit };
  const claim = claimIn(token);
  if (claim !== null && run.lostClaims?.includes(claim)) return refuse({ code: "claim-lost", sent: token });
  return stale(run, token, session, false);
}

function isTask(place: Visit["place"], task: string): boolean {
  return place.type === "sub-step" && place.task === task;
}

/** The tasks that are open now. */
export function openTasks({ visits }: LiveRun): string[] {
  return visits.flatMap(({ place }) => (place.type === "sub-step" ? [place.task] : []));
}

/** A session without a claim is told which tasks it could claim; a caller without a session also which ones may be its own. */
export function claimNeeded(run: LiveRun, session: string | undefined): Refused {
  const unclaimed = run.visits.filter((visit) => visit.claim === null && canGoOn(run, visit));
  const free = unclaimed.flatMap(({ place }) => (place.type === "sub-step" ? [place.task] : []));
  const perhaps = session === undefined ? claimsWithoutSession(run).map(({ token }) => token) : [];
  return refuse({ code: "claim-needed", free, ...(perhaps.length > 0 && { perhaps }) });
}

/** Any of these may be that of a caller without a session: nobody can tell such callers from each other. */
export function claimsWithoutSession({ visits }: LiveRun): readonly Visit[] {
  return visits.filter(({ claim }) => claim != null && claim.session === null);
}

export function openVisit(run: Run, token: string): Visit | undefined {
  return isLive(run) ? run.visits.find((open) => open.token === token) : undefined;
}

export function findSpent(run: StartedRun, token: string | undefined): SpentVisit | undefined {
  return run.spent.find((spent) => spent.token === token);
}

export function seatOf(run: LiveRun, session: string | undefined): string | undefined {
  return run.seats.find((seat) => seat.session === session)?.token;
}

export function ambiguous(visits: readonly Visit[]): Refused {
  return refuse({ code: "visit-ambiguous", open: visits.map(({ token }) => token) });
}

/**
 * Names the open visits, but none that somebody else works on. Several subagents of a session are told apart by the claim in
 * what they send.
 */
function stale(run: LiveRun, sent: string, session: string | undefined, isSeat: boolean): Refused {
  const spent = findSpent(run, sent) !== undefined;
  const shared = run.visits.filter(({ claim }) => claim === undefined);
  const number = claimIn(sent);
  const own = claimsOf(run, session).filter(({ claim }) => number === null || claim?.number === number);
  const open = [...shared, ...own].map(({ token }) => token);
  const isElsewhere = open.length === 0 && run.visits.length > 0;
  return refuse({
    ...{ code: "step-stale", sent, spent, open },
    ...(isSeat && { seat: true }),
    ...(isElsewhere && { elsewhere: true }),
  });
}
