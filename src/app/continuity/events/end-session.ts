import { tidySessions } from "../../../sessions/old-sessions.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource } from "../ports/ports.ts";
import { recordNotices } from "../ports/record-notices.ts";

/** Records the end of a session. After a clear, the host's next session takes over its place in the run. */
export async function endSession(ports: ContinuityPorts, hook: HookSource, reason: string): Promise<HookReply> {
  const { session, via, parent } = hook;
  if (turnEnds.includes(reason)) return {};
  const { first } = ports.sessions.tell(session, { type: "ended", at: ports.now(), via, reason });
  if (reason !== "clear") ports.sessions.clearParent(parent, session);
  if (!first) return {};
  tidySessions(ports.sessions.folder);
  const chosen = await chooseForHook(ports, hook);
  // A session that got the run's handoff and did nothing has no seat, but is still one of the run's sessions.
  if (chosen === null || !chosen.standing.run.sessions.some(({ id }) => id === session)) return {};
  await attempt(ports, () => recordNotices(ports, chosen.standing, [{ type: "end-session", session, reason }]));
  return {};
}

/** With these reasons Copilot CLI tells of the end of a turn, after which the session may go on. */
const turnEnds = ["complete", "error"];
