import type { VisitTarget } from "../../model/command.ts";
import type { LiveRun, Run, SpentVisit, StartedRun, Visit } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import { type Refused, refuse } from "./decision.ts";

/** The visit a command is for: the one it names, else the one its session was given, else the only open one. */
export function findTargetVisit(
  run: LiveRun,
  aim: VisitTarget,
): { readonly ok: true; readonly visit: Visit } | Refused {
  const token = aim.token ?? seatOf(run, aim.session);
  if (token !== undefined) {
    const visit = openVisit(run, token);
    return visit === undefined ? stale(run, token, aim.token === undefined) : { ok: true, visit };
  }
  const [only, ...others] = run.visits;
  if (only === undefined || others.length > 0) return refuse({ code: "visit-ambiguous", open: tokensOf(run) });
  return { ok: true, visit: only };
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

function stale(run: LiveRun, sent: string, isSeat: boolean): Refused {
  const spent = findSpent(run, sent) !== undefined;
  return refuse({ code: "step-stale", sent, spent, open: tokensOf(run), ...(isSeat && { seat: true }) });
}

function tokensOf(run: LiveRun): string[] {
  return run.visits.map((visit) => visit.token);
}
