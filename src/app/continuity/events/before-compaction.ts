import type { HandoffFacts } from "../../../handoff/facts.ts";
import { keepText } from "../../../handoff/short-texts.ts";
import type { Standing } from "../../../journal/run-journal.ts";
import { gatherFacts } from "../handoff/gather-facts.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { noteLater } from "../ports/note-later.ts";
import { type Answer, attempt, isLiveStanding, type Scene, type Teller } from "../ports/scene.ts";

/** The conversation is about to be compacted: what the run and its card must not lose is saved, and what the summary must keep is said. */
export async function beforeCompaction(scene: Scene, teller: Teller, trigger: string): Promise<Answer> {
  const { session, via } = teller;
  const chosen = await chooseForHook(scene, teller);
  const mine = chosen === null || chosen.claim === "taken" ? null : chosen;
  const tracked = chosen === null ? await keepTracked(scene) : null;
  const restorable = (mine !== null || tracked !== null) && scene.settings.handoff.show.compact === "full";
  const { first } = scene.sessions.tell(session, { type: "compacting", at: scene.now(), via, restorable });
  if (!first) return {};
  if (tracked !== null) return { instructions: keepText(tracked) };
  if (mine === null) return {};
  const standing = (await save(scene, mine.standing, { session, trigger })) ?? mine.standing;
  if (!isLiveStanding(standing)) return {};
  return { instructions: keepText(await gatherFacts(scene, standing, { session, others: mine.others })) };
}

/** Without a run there may be a workflow that exists only as text. */
async function keepTracked(scene: Scene): Promise<HandoffFacts | null> {
  const { keepTracked: keep, trackedFacts } = await import("../tracked/tracked.ts");
  const tracked = await attempt(scene, () => keep(scene));
  return tracked === null ? null : trackedFacts(scene, tracked);
}

/** Into the journal first, then into the card. Where the one cannot be written, the other still may. */
async function save(
  scene: Scene,
  before: Standing,
  { session, trigger }: { readonly session: string; readonly trigger: string },
): Promise<Standing | null> {
  const template = await scene.templateOf(before.run);
  const { saveCard, takeEdits } = await import("../../runs/keep-card.ts");
  const noted = await attempt(scene, () =>
    noteLater(scene, before, [
      ...takeEdits(scene, template, before.run),
      { type: "begin-compaction", session, trigger },
    ]),
  );
  await attempt(scene, () => saveCard(scene, template, (noted ?? before).run));
  return noted;
}
