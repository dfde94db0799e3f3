import type { Standing } from "../../journal/run-journal.ts";
import { isLive } from "../../model/run-state.ts";
import type { Deps } from "../../operation/operation.ts";
import { countSession, rememberCounted } from "../../sessions/session-usage.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { changeRun } from "./change-run.ts";

/**
 * Records what the calling session has used up to now, so that it counts for the visit that it worked on. A session whose
 * hooks have not told where its transcript is costs nothing here.
 */
export async function countUsage(deps: Deps, standing: Standing): Promise<Standing> {
  const { run } = standing;
  const { session } = deps.caller;
  if (session === undefined || !isLive(run) || deps.sessions.read(session).transcript === null) return standing;
  const command = countSession(deps.sessions, run, session, { now: deps.now(), turns: 0 });
  if (command === null) return standing;
  const { template } = await readFrozen(deps, run);
  const changed = await changeRun(deps, standing, template, { command });
  if (!changed.ok) return standing;
  rememberCounted(deps.sessions, changed.value.standing.run, command, deps.now(), "server");
  return changed.value.standing;
}
