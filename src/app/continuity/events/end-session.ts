import { isFinalEnd } from "../../../hosts/contracts.ts";
import { tidySessions } from "../../../sessions/old-sessions.ts";
import { type Chosen, chooseForHook } from "../ports/choose-for-hook.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource } from "../ports/ports.ts";
import { recordNotices } from "../ports/record-notices.ts";

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
  await attempt(ports, () =>
    recordNotices(ports, chosen.standing, [{ type: "end-session", session, reason, isFinal }]),
  );
  return {};
}

function hasSession({ claim, standing: { run } }: Chosen, session: string): boolean {
  return claim === "bound" || run.sessions.some(({ id }) => id === session);
}

/** With these reasons Copilot CLI tells of the end of a turn, after which the session may go on. */
const turnEnds = ["complete", "error"];
