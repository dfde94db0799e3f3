import type { StartedRun } from "../model/run.ts";
import type { SessionLogs } from "./session-log.ts";

interface Witness {
  readonly sessions: SessionLogs;
  isAlive(runner: string): boolean;
}

/** The run's open sessions whose host process is known and no longer alive. */
export function lostSessions(witness: Witness, { sessions }: StartedRun): string[] {
  return sessions.flatMap(({ id, ended }) => (ended === null && isAliveHere(witness, id) === false ? [id] : []));
}

/** Whether a session's host process is alive on this machine; null if this machine cannot tell. */
export function isAliveHere({ sessions, isAlive }: Witness, session: string) {
  const { parent, ended } = sessions.read(session);
  return parent === null || ended !== null ? null : isAlive(parent);
}
