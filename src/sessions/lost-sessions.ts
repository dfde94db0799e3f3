import type { Scene } from "../app/continuity/ports/scene.ts";
import type { StartedRun } from "../model/run.ts";

/** Sessions that are open in a run, whose host told of them, and whose program is not there any more. */
export function lostSessions(scene: Pick<Scene, "sessions" | "isAlive">, { sessions }: StartedRun): string[] {
  return sessions.flatMap(({ id, ended }) => (ended === null && isAliveHere(scene, id) === false ? [id] : []));
}

/** Whether the program of a session is there on this machine; null where this machine cannot tell. */
export function isAliveHere({ sessions, isAlive }: Pick<Scene, "sessions" | "isAlive">, session: string) {
  const { parent, ended } = sessions.read(session);
  return parent === null || ended !== null ? null : isAlive(parent);
}
