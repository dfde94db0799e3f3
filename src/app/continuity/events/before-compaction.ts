import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HandoffFacts } from "../../../handoff/facts.ts";
import { isLiveStanding, type Standing } from "../../../journal/run-journal.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { attempt, type ContinuityPorts, type HookReply, type HookSource, recordNotices } from "../ports/ports.ts";

/** Saves the run and its card before a compaction, and tells the host what its summary must keep. */
export async function beforeCompaction(
  ports: ContinuityPorts,
  hook: HookSource,
  { trigger, transcript }: { readonly trigger: string; readonly transcript: string | null },
): Promise<HookReply> {
  const { session, via } = hook;
  // A person's /compact is always about the main agent.
  if (trigger === "auto" && transcript !== null && (await isOfSubagent(transcript))) {
    ports.sessions.tell(session, { type: "compacting", at: ports.now(), via, restorable: false, subagent: true });
    return {};
  }
  const chosen = await chooseForHook(ports, hook);
  const mine = chosen === null || chosen.claim === "taken" ? null : chosen;
  const tracked = chosen === null ? await saveTracked(ports) : null;
  const restorable = (mine !== null || tracked !== null) && ports.settings.handoff.show.compact === "full";
  const { first } = ports.sessions.tell(session, { type: "compacting", at: ports.now(), via, restorable });
  if (!first) return {};
  if (tracked === null && mine === null) return {};
  const { compactionInstructions } = await import("../../../handoff/short-texts.ts");
  if (tracked !== null) return { instructions: compactionInstructions(tracked) };
  if (mine === null) return {};
  const standing = (await save(ports, mine.standing, { session, trigger })) ?? mine.standing;
  if (!isLiveStanding(standing)) return {};
  const { gatherFacts } = await import("../handoff/gather-facts.ts");
  return { instructions: compactionInstructions(await gatherFacts(ports, standing, { session, others: mine.others })) };
}

/** Most sessions have no subagents, and newer hosts name the subagent themselves. */
async function isOfSubagent(transcript: string): Promise<boolean> {
  const folder = join(transcript.replace(/\.jsonl$/, ""), "subagents");
  if (!existsSync(folder)) return false;
  return (await import("./subagent-compaction.ts")).isSubagentCompaction(transcript, folder);
}

/** Without a run there may still be a workflow that exists only as text. */
async function saveTracked(ports: ContinuityPorts): Promise<HandoffFacts | null> {
  const { findRestorable, refreshTracked, trackedFacts } = await import("../tracked/tracked.ts");
  // If no card can be written, the text is still there.
  const tracked =
    (await attempt(ports, () => refreshTracked(ports))) ?? (await attempt(ports, () => findRestorable(ports)));
  return tracked === null ? null : trackedFacts(ports, tracked);
}

/** Writes the journal first, then the card. If one cannot be written, the other still is. */
async function save(
  ports: ContinuityPorts,
  before: Standing,
  { session, trigger }: { readonly session: string; readonly trigger: string },
): Promise<Standing | null> {
  const template = await ports.templateOf(before.run);
  const { saveCard, collectCardEdits } = await import("../../runs/sync-card.ts");
  const noted = await attempt(ports, () =>
    recordNotices(ports, before, [
      ...collectCardEdits(ports, template, before.run),
      { type: "begin-compaction", session, trigger },
    ]),
  );
  await attempt(ports, () => saveCard(ports, template, (noted ?? before).run));
  return noted;
}
