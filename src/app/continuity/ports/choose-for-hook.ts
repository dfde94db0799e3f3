import type { Standing } from "../../../journal/run-journal.ts";
import type { ContinuityPorts, HookSource } from "./ports.ts";

/** The run chosen for a hook, which cannot ask back, and why. */
export interface Chosen {
  readonly standing: Standing;
  /**
   * `bound`: the session works on it. `own`: no live session does, so it may be this one's.
   * `taken`: another live session works on it, and this one may be about something else.
   */
  readonly claim: "bound" | "own" | "taken";
  readonly others: readonly Standing[];
}

/** The session's run, otherwise this worktree's own, otherwise the newest. */
export async function chooseForHook(ports: ContinuityPorts, { session }: HookSource): Promise<Chosen | null> {
  const live = newestFirst(await ports.liveRuns(), ports.now());
  const bound = live.find(({ run }) => run.seats.some((seat) => seat.session === session));
  const here = live.filter(({ run }) => run.worktree === ports.roots.worktree);
  const standing = bound ?? here[0] ?? live[0];
  if (standing === undefined) return null;
  const others = live.filter((other) => other !== standing);
  if (bound !== undefined) return { standing, claim: "bound", others };
  return { standing, claim: isHeld(ports, standing, session) ? "taken" : "own", others };
}

/** Whether another session that is alive on this machine works on the run. */
function isHeld(ports: ContinuityPorts, { run }: Standing, session: string): boolean {
  return run.seats.some((seat) => {
    if (seat.session === session) return false;
    const { parent, ended } = ports.sessions.read(seat.session);
    return parent !== null && ended === null && ports.isAlive(parent);
  });
}

/** Newest first, by the time stored in the run. A time in the future counts as the oldest. */
function newestFirst(standings: readonly Standing[], now: string): Standing[] {
  const time = ({ run }: Standing) => (Date.parse(run.updatedAt) <= Date.parse(now) + slack ? run.updatedAt : "");
  return [...standings].sort((a, b) => (time(a) < time(b) ? 1 : time(a) > time(b) ? -1 : 0));
}

/** Allowed clock difference between two processes. */
const slack = 60_000;

/** A run idle for this long is mentioned in one line rather than restored. */
const oldAfterMs = 14 * 24 * 60 * 60 * 1_000;

export function isLongAgo(now: string, time: string): boolean {
  return Date.parse(now) - Date.parse(time) > oldAfterMs;
}
