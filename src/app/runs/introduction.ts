import type { Command } from "../../model/command.ts";
import type { StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Deps } from "../../operation/operation.ts";
import { isRunnerAlive } from "../../platform/runner.ts";
import { findSettings } from "../../project/compiled-settings.ts";
import { environmentOf } from "../../sessions/environment.ts";
import { lostSessions } from "../../sessions/lost-sessions.ts";
import { sessionStamp } from "../../sessions/session-log.ts";

/** Whether the run knows the session that calls, or there is nothing to be known of it; told without reading anything. */
export function isIntroduced({ caller: { session }, sessions }: Deps, run: StartedRun): boolean {
  const known = run.sessions.find(({ id }) => id === session);
  if (session === undefined || !isLive(run) || known === undefined || known.host !== null) return true;
  return sessionStamp(sessions, session) === "";
}

/**
 * What is to be noted of the session that calls, where its hooks have told of it and the run does not know it by more
 * than its id: a run that is started, or taken over, in the middle of a conversation has seen no start of a session.
 */
export async function introductionOf(deps: Deps, run: StartedRun): Promise<Command | null> {
  const { roots, sessions } = deps;
  const { session } = deps.caller;
  if (session === undefined || isIntroduced(deps, run)) return null;
  const { host, ended } = sessions.read(session);
  if (host === null || ended !== null) return null;
  const { settings } = await findSettings(roots.stateRoot);
  const environment = environmentOf({ roots, settings, cwd: roots.projectRoot });
  const lost = lostSessions({ sessions, isAlive: isRunnerAlive }, run);
  return { type: "start-session", session, host, source: "call", environment, lost };
}
