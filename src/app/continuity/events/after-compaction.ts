import type { Notice } from "../../../engine/commands/notices.ts";
import { isLive, visitsFor } from "../../../model/run-state.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource, recordNotices } from "../ports/ports.ts";

/** Records that the conversation was compacted, and settles a context action that asked for it. */
export async function afterCompaction(
  ports: ContinuityPorts,
  hook: HookSource,
  trigger: string,
  size: number,
): Promise<HookReply> {
  const { session, via } = hook;
  const { first, ofSubagent } = ports.sessions.tell(session, { type: "compacted", at: ports.now(), via });
  if (!first || ofSubagent) return {};
  const chosen = await chooseForHook(ports, hook);
  if (chosen === null || chosen.claim === "taken") return {};
  const { run } = chosen.standing;
  const asked = isLive(run) ? visitsFor(run, session).filter(({ action }) => action?.name === "compact") : [];
  const observed = asked.map(({ token }): Notice => {
    return { type: "observe-context-action", action: "compact", token, session };
  });
  await attempt(ports, () =>
    recordNotices(ports, chosen.standing, [{ type: "end-compaction", session, trigger, size }, ...observed]),
  );
  return {};
}
