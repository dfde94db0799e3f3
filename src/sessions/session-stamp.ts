import { existsSync, statSync } from "node:fs";
import type { SessionFiles } from "./session-log.ts";

/** Changes whenever something is told of the session; empty as long as nothing was. */
export function stampOf(sessions: SessionFiles, session: string): string {
  const path = sessions.pathOf(session);
  const there = existsSync(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  return there === undefined ? "" : `${there.size} ${there.mtimeMs}`;
}
