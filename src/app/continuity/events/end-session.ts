import { isFinalEnd } from "../../../hosts/contracts.ts";
import type { Standing } from "../../../journal/run-journal.ts";
import { tidySessions } from "../../../sessions/old-sessions.ts";
import { type Chosen, chooseForHook } from "../ports/choose-for-hook.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource, recordNotices } from "../ports/ports.ts";

/**
 * Records the end of a session. After a clear, the host's next session takes over its place in the run. Only an end after
 * which the session does not go on gives its tasks back; else others get them when its lease has run out.
 */
export async function endSession(ports: ContinuityPorts, hook: HookSource, reason: string): Promise<HookReply> {
  const { session, host, via, parent } = hook;
  if (turnEnds.includes(reason)) return {};
  const { first } = ports.sessions.tell(session, { type: "ended", at: ports.now(), via, reason });
  if (reason !== "clear") ports.sessions.clearParent(parent, session);
  if (!first) return {};
  tidySessions(ports.sessions.folder);
  const chosen = await chooseForHook(ports, hook);
  // A session that got the run's handoff and did nothing has no seat, but is still one of the run's sessions.
  if (chosen === null || !hasSession(chosen, session)) return {};
  const isFinal = isFinalEnd(host, reason);
  const others = isFinal ? await alsoHeld(ports, chosen, session) : [];
  for (const standing of [chosen.standing, ...others]) {
    await attempt(ports, () => recordNotices(ports, standing, [{ type: "end-session", session, reason, isFinal }]));
  }
  return {};
}

/** The other runs in which the session may have tasks that nobody else could go on with. */
async function alsoHeld(ports: ContinuityPorts, { others }: Chosen, session: string): Promise<Standing[]> {
  const found: Standing[] = [];
  for (const { runId } of others.filter(({ sessions }) => sessions.includes(session))) {
    const standing = await attempt(ports, () => ports.journal.load(runId));
    if (standing !== null) found.push(standing);
  }
  return found;
}

function hasSession({ claim, standing: { run } }: Chosen, session: string): boolean {
  return claim === "bound" || run.sessions.some(({ id }) => id === session);
}

/** With these reasons Copilot CLI tells of the end of a turn, after which the session may go on. */
const turnEnds = ["complete", "error"];
