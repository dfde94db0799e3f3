import type { Command } from "../../model/command.ts";
import { isLive } from "../../model/live.ts";
import type { StartedRun } from "../../model/run.ts";
import { isRunnerAlive } from "../../platform/runner.ts";
import type { Deps } from "../operation.ts";
import { findSettings } from "./compiled-settings.ts";
import { environmentOf } from "./environment.ts";
import { lostSessions } from "./lost-sessions.ts";
import { stampOf } from "./session-stamp.ts";

/**
 * What is to be noted of the session that calls, where its hooks have told of it and the run does not know it by more
 * than its id: a run that is started, or taken over, in the middle of a conversation has seen no start of a session.
 */
export async function introductionOf({ caller, roots, sessions }: Deps, run: StartedRun): Promise<Command | null> {
  const { session } = caller;
  const known = run.sessions.find(({ id }) => id === session);
  if (session === undefined || !isLive(run) || known === undefined || known.host !== null) return null;
  if (stampOf(sessions, session) === "") return null;
  const { host, ended } = sessions.read(session);
  if (host === null || ended !== null) return null;
  const { settings } = await findSettings(roots.stateRoot);
  const environment = environmentOf({ roots, settings, cwd: roots.projectRoot });
  const lost = lostSessions({ sessions, isAlive: isRunnerAlive }, run);
  return { type: "start-session", session, host, source: "call", environment, lost };
}
