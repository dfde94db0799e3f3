import { holdText } from "../../../handoff/short-texts.ts";
import { isLiveStanding } from "../../../journal/run-journal.ts";
import { gatherFacts } from "../handoff/gather-facts.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource } from "../ports/ports.ts";
import { recordNotices } from "../ports/record-notices.ts";

/** Counts the turn when the agent stops. A workflow with `hold: true` blocks the stop once and says what is left to do. */
export async function onStop(ports: ContinuityPorts, hook: HookSource, stopActive: boolean): Promise<HookReply> {
  const chosen = await chooseForHook(ports, hook);
  if (chosen?.claim !== "bound" || stopActive) return {};
  const { run } = chosen.standing;
  const template = await ports.templateOf(run);
  const { session, via } = hook;
  if (!ports.sessions.tell(session, { type: "stopped", at: ports.now(), via }).first) return {};
  const noted = await attempt(ports, () =>
    recordNotices(ports, chosen.standing, [{ type: "count", turns: 1, session }]),
  );
  const standing = noted ?? chosen.standing;
  if (template.hold !== true || standing.run.status !== "running" || !isLiveStanding(standing)) return {};
  return { block: holdText(await gatherFacts(ports, standing, { session, others: [] })) };
}
