import type { Notice } from "../../../engine/commands/notice.ts";
import { isLive } from "../../../model/live.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { noteLater } from "../ports/note-later.ts";
import { type Answer, attempt, type Scene, type Teller } from "../ports/scene.ts";

/** It happened. A context action that asked for it is settled. */
export async function afterCompaction(scene: Scene, teller: Teller, trigger: string, size: number): Promise<Answer> {
  const { session, via } = teller;
  if (!scene.sessions.tell(session, { type: "compacted", at: scene.now(), via }).first) return {};
  const chosen = await chooseForHook(scene, teller);
  if (chosen === null || chosen.claim === "taken") return {};
  const { run } = chosen.standing;
  const visit = isLive(run) ? run.visits.find(({ action }) => action?.name === "compact") : undefined;
  const observed: Notice[] =
    visit === undefined ? [] : [{ type: "observe-context-action", action: "compact", token: visit.token, session }];
  await attempt(scene, () =>
    noteLater(scene, chosen.standing, [{ type: "end-compaction", session, trigger, size }, ...observed]),
  );
  return {};
}
