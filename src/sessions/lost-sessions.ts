import type { StartedRun } from "../model/run.ts";
import type { SessionLogs } from "./session-log.ts";

interface Witness {
  readonly sessions: SessionLogs;
  isAlive(runner: string): boolean;
}

/** Sessions that are open in a run, whose host told of them, and whose program is not there any more. */
export function lostSessions(witness: Witness, { sessions }: StartedRun): string[] {
  return sessions.flatMap(({ id, ended }) => (ended === null && isAliveHere(witness, id) === false ? [id] : []));
}

/** Whether the program of a session is there on this machine; null where this machine cannot tell. */
export function isAliveHere({ sessions, isAlive }: Witness, session: string) {
  const { parent, ended } = sessions.read(session);
  return parent === null || ended !== null ? null : isAlive(parent);
}
