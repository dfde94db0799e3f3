import { oneLine } from "../../../handoff/data-text.ts";
import { holdText } from "../../../handoff/short-texts.ts";
import { isLiveStanding, type Standing } from "../../../journal/run-journal.ts";
import { visitsFor } from "../../../model/run-state.ts";
import { countSession, rememberCounted } from "../../../sessions/session-usage.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource, recordNotices } from "../ports/ports.ts";
import { waitsFor } from "./waits-for.ts";

/**
 * Counts the turn when the agent stops. If all that it works on waits for the person or for a gate, the person is told.
 * Otherwise a workflow with `hold: true` blocks the stop once and says what is left to do.
 */
export async function onStop(
  ports: ContinuityPorts,
  hook: HookSource,
  { stopActive, transcript }: { readonly stopActive: boolean; readonly transcript: string | null },
): Promise<HookReply> {
  const chosen = await chooseForHook(ports, hook);
  if (chosen?.claim !== "bound") return {};
  const { session, via } = hook;
  if (!ports.sessions.tell(session, { type: "stopped", at: ports.now(), via }).first) return {};
  const standing =
    (await attempt(ports, () => count(ports, hook, chosen.standing, stopActive, transcript))) ?? chosen.standing;
  if (!isLiveStanding(standing)) return {};
  const { run } = standing;
  const own = visitsFor(run, session);
  // Others work on the run; nobody is held for their tasks.
  if (own.length === 0) return {};
  const wait = waitsFor(run, own, ports.isAlive);
  if (wait !== null) return { notice: `Holdfast: the workflow ${oneLine(run.workflow, 100)} waits for ${wait}.` };
  const { hold } = await ports.templateOf(run);
  if (stopActive || hold !== true) return {};
  const { gatherFacts } = await import("../handoff/gather-facts.ts");
  const facts = await gatherFacts(ports, standing, { session, others: [] });
  return { block: holdText(facts), about: { standing, visit: facts.here?.token ?? null, kind: "hold" } };
}

/** A stop that was blocked before belongs to a turn that has been counted; what was used since has not. */
async function count(
  ports: ContinuityPorts,
  { session, via }: HookSource,
  standing: Standing,
  stopActive: boolean,
  transcript: string | null,
): Promise<Standing> {
  const now = ports.now();
  const command = countSession(ports.sessions, standing.run, session, { now, turns: stopActive ? 0 : 1, transcript });
  if (command === null) return standing;
  const counted = await recordNotices(ports, standing, [command]);
  rememberCounted(ports.sessions, counted.run, command, now, via);
  return counted;
}
