import { oneLine } from "../../../handoff/data-text.ts";
import { holdText } from "../../../handoff/short-texts.ts";
import { isLiveStanding } from "../../../journal/run-journal.ts";
import { visitOfSession } from "../../../model/run-state.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource } from "../ports/ports.ts";
import { recordNotices } from "../ports/record-notices.ts";
import { waitsFor } from "./waits-for.ts";

/**
 * Counts the turn when the agent stops. If the run waits for the person or for a gate, the person is told. Otherwise a
 * workflow with `hold: true` blocks the stop once and says what is left to do.
 */
export async function onStop(ports: ContinuityPorts, hook: HookSource, stopActive: boolean): Promise<HookReply> {
  const chosen = await chooseForHook(ports, hook);
  if (chosen?.claim !== "bound") return {};
  const { session, via } = hook;
  if (!ports.sessions.tell(session, { type: "stopped", at: ports.now(), via }).first) return {};
  // A stop that was blocked before belongs to a turn that has been counted.
  const counted = stopActive
    ? null
    : await attempt(ports, () => recordNotices(ports, chosen.standing, [{ type: "count", turns: 1, session }]));
  const standing = counted ?? chosen.standing;
  if (!isLiveStanding(standing)) return {};
  const { run } = standing;
  const wait = waitsFor(run, visitOfSession(run, session), ports.isAlive);
  if (wait !== null) return { notice: `Holdfast: the workflow ${oneLine(run.workflow, 100)} waits for ${wait}.` };
  const { hold } = await ports.templateOf(run);
  if (stopActive || hold !== true) return {};
  const { gatherFacts } = await import("../handoff/gather-facts.ts");
  return { block: holdText(await gatherFacts(ports, standing, { session, others: [] })) };
}
