import { tidySessions } from "../../../sessions/old-sessions.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource } from "../ports/ports.ts";
import { recordNotices } from "../ports/record-notices.ts";

/** The conversation is over; a clear leaves its place to the session that follows. */
export async function endSession(ports: ContinuityPorts, hook: HookSource, reason: string): Promise<HookReply> {
  const { session, via, parent } = hook;
  const { first } = ports.sessions.tell(session, { type: "ended", at: ports.now(), via, reason });
  if (reason !== "clear") ports.sessions.clearParent(parent, session);
  if (!first) return {};
  tidySessions(ports.sessions.folder);
  const chosen = await chooseForHook(ports, hook);
  // One that got the run's handoff and did nothing has no seat in it, and is one of its sessions all the same.
  if (chosen === null || !chosen.standing.run.sessions.some(({ id }) => id === session)) return {};
  await attempt(ports, () => recordNotices(ports, chosen.standing, [{ type: "end-session", session, reason }]));
  return {};
}
