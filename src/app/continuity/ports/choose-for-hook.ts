import type { Standing } from "../../../journal/run-journal.ts";
import type { Glance } from "../../../journal/stored-runs.ts";
import { isLive } from "../../../model/run-state.ts";
import { attempt, type ContinuityPorts, type HookSource } from "./ports.ts";

/** The run chosen for a hook, which cannot ask back, and why. */
export interface Chosen<S = Standing> {
  readonly standing: S;
  /**
   * `bound`: the session works on it. `own`: no live session does, so it may be this one's.
   * `taken`: another live session works on it, and this one may be about something else.
   */
  readonly claim: "bound" | "own" | "taken";
  readonly others: readonly Glance[];
}

/** The session's run, otherwise this worktree's own, otherwise the newest. */
export function chooseForHook(ports: ContinuityPorts, { session }: HookSource): Promise<Chosen | null> {
  return chooseRun(ports, session, (runId) => ports.journal.load(runId));
}

/** The same choice. Of the chosen run, `read` reads as much as the caller needs. */
export async function chooseRun<S extends Pick<Standing, "run">>(
  ports: ContinuityPorts,
  session: string,
  read: (runId: string) => Promise<S | null>,
): Promise<Chosen<S> | null> {
  const isBound = ({ sessions }: Glance) => sessions.includes(session);
  const live: Glance[] = [];
  for (const run of newestFirst(await ports.liveRuns(), ports.now())) {
    const isMeant = isBound(run) ? !ports.isRemoved(run.runId) : await ports.isHere(run.runId);
    if (isMeant) live.push(run);
  }
  const isHere = ({ worktree }: Glance) => worktree === ports.roots.worktree;
  for (const run of [...live.filter(isBound), ...live.filter(isHere), ...live]) {
    const standing = await attempt(ports, () => read(run.runId));
    if (standing === null || !isLive(standing.run)) continue;
    const others = live.filter((other) => other !== run);
    if (isBound(run)) return { standing, claim: "bound", others };
    return { standing, claim: isHeld(ports, standing, session) ? "taken" : "own", others };
  }
  return null;
}

/** Whether another session that is alive on this machine works on the run. */
function isHeld(ports: ContinuityPorts, { run }: Pick<Standing, "run">, session: string): boolean {
  return run.seats.some((seat) => {
    if (seat.session === session) return false;
    const { parent, ended } = ports.sessions.read(seat.session);
    return parent !== null && ended === null && ports.isAlive(parent);
  });
}

/** Newest first, by the time stored in the run. A time in the future counts as the oldest. */
function newestFirst(runs: readonly Glance[], now: string): Glance[] {
  const time = ({ updatedAt }: Glance) => (Date.parse(updatedAt) <= Date.parse(now) + slack ? updatedAt : "");
  return [...runs].sort((a, b) => (time(a) < time(b) ? 1 : time(a) > time(b) ? -1 : 0));
}

/** Allowed clock difference between two processes. */
const slack = 60_000;

/** A run idle for this long is mentioned in one line rather than restored. */
const oldAfterMs = 14 * 24 * 60 * 60 * 1_000;

export function isLongAgo(now: string, time: string): boolean {
  return Date.parse(now) - Date.parse(time) > oldAfterMs;
}
