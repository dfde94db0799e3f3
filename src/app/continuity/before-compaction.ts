import { editsOf } from "../../cards/card.ts";
import type { Notice } from "../../engine/notice.ts";
import type { HandoffFacts } from "../../handoff/facts.ts";
import { keepText } from "../../handoff/short-texts.ts";
import type { CardEdits } from "../../model/run.ts";
import type { Standing } from "../run-journal.ts";
import { chooseForHook } from "./choose-for-hook.ts";
import { gatherFacts } from "./gather-facts.ts";
import { saveCard } from "./keep-card.ts";
import { noteRun } from "./note-run.ts";
import { ownCard } from "./own-card.ts";
import { type Answer, attempt, isLiveStanding, type Scene, type Teller } from "./scene.ts";

/** The conversation is about to be compacted: what the run and its card must not lose is saved, and what the summary must keep is said. */
export async function beforeCompaction(scene: Scene, teller: Teller, trigger: string): Promise<Answer> {
  const { session, via } = teller;
  const chosen = await chooseForHook(scene, teller);
  const mine = chosen === null || chosen.claim === "taken" ? null : chosen;
  const tracked = chosen === null ? await keepTracked(scene) : null;
  const restorable = mine !== null || tracked !== null;
  const { first } = scene.sessions.tell(session, { type: "compacting", at: scene.now(), via, restorable });
  if (!first) return {};
  if (tracked !== null) return { instructions: keepText(tracked) };
  if (mine === null) return {};
  const noted = await attempt(scene, async () => {
    const edits = await takeEdits(scene, mine.standing);
    return noteRun(scene, mine.standing, [...edits, { type: "begin-compaction", session, trigger }]);
  });
  const standing = noted ?? mine.standing;
  await attempt(scene, async () => saveCard(scene, await scene.templateOf(standing.run), standing.run));
  if (!isLiveStanding(standing)) return {};
  return { instructions: keepText(await gatherFacts(scene, standing, { session, others: mine.others })) };
}

/** Without a run there may be a workflow that exists only as text. */
async function keepTracked(scene: Scene): Promise<HandoffFacts | null> {
  const { keepTracked: keep, trackedFacts } = await import("./tracked.ts");
  const tracked = await attempt(scene, () => keep(scene));
  return tracked === null ? null : trackedFacts(scene, tracked);
}

/** What an agent or a person wrote into the card goes into the journal, so that it travels with the run. */
async function takeEdits(scene: Scene, { run }: Standing): Promise<Notice[]> {
  const found = scene.cards?.find(run.runId);
  if (found == null) return [];
  const edits = editsOf(ownCard(await scene.templateOf(run), run), found.card);
  if (edits === null) return [];
  if (JSON.stringify(edits).length <= longestEdits) return [{ type: "edit-card", edits: edits as CardEdits }];
  scene.troubles.push("the state card has more in it than a journal can take; only the card keeps it");
  return [];
}

const longestEdits = 64 * 1024;
