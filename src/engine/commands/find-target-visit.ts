import type { VisitTarget } from "../../model/command.ts";
import type { LiveRun, Run, SpentVisit, StartedRun, Visit } from "../../model/run.ts";
import { canGoOn, chosenOf, claimIn, claimsOf, isLive } from "../../model/run-state.ts";
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
    return named.ok && named.visit.claim === null ? claimNeeded(run) : named;
  }
  const own = claimsOf(run, session);
  if (own.length > 0) {
    const visit = chosenOf(run, own);
    return visit === null ? ambiguous(own) : { ok: true, visit };
  }
  if (run.visits.some(({ claim }) => claim !== undefined)) return claimNeeded(run);
  const seat = seatOf(run, session);
  if (seat !== undefined) {
    const visit = openVisit(run, seat);
    return visit === undefined ? stale(run, seat, session, true) : { ok: true, visit };
  }
  const [only, ...others] = run.visits;
  return only === undefined || others.length > 0 ? ambiguous(run.visits) : { ok: true, visit: only };
}

/** The visit a person decides about: the one that they name, by token or by task, else the only one that waits for this. */
export function findDecidedVisit(run: LiveRun, aim: VisitTarget, waits: (visit: Visit) => boolean): Target {
  const { token, task } = aim;
  if (token !== undefined) return findByToken(run, token);
  const named = task === undefined ? run.visits : run.visits.filter(({ place }) => isTask(place, task));
  if (named.length === 0 && task !== undefined) return refuse({ code: "task-not-open", task, open: openTasks(run) });
  const waiting = named.filter(waits);
  const [visit, ...others] = waiting.length > 0 ? waiting : named;
  return visit === undefined || others.length > 0
    ? ambiguous(waiting.length > 0 ? waiting : named)
    : { ok: true, visit };
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

/** A session without a claim is told which tasks it could claim. */
export function claimNeeded(run: LiveRun): Refused {
  const unclaimed = run.visits.filter((visit) => visit.claim === null && canGoOn(run, visit));
  const free = unclaimed.flatMap(({ place }) => (place.type === "sub-step" ? [place.task] : []));
  return refuse({ code: "claim-needed", free });
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

/** Names the open visits, but none that somebody else works on. */
function stale(run: LiveRun, sent: string, session: string | undefined, isSeat: boolean): Refused {
  const spent = findSpent(run, sent) !== undefined;
  const shared = run.visits.filter(({ claim }) => claim === undefined);
  const open = [...shared, ...claimsOf(run, session)].map(({ token }) => token);
  return refuse({ code: "step-stale", sent, spent, open, ...(isSeat && { seat: true }) });
}
