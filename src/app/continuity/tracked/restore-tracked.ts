import { offerText } from "../../../handoff/short-texts.ts";
import type { Source } from "../../../project/settings.ts";
import { handoffFor } from "../handoff/handoff-for.ts";
import { isLongAgo } from "../ports/long-ago.ts";
import { type Answer, attempt, type Scene, type Teller } from "../ports/scene.ts";
import { findTracked, trackedFacts } from "./tracked.ts";

/** The same for a workflow that only its card knows. */
export async function restoreTracked(
  scene: Scene,
  teller: Teller,
  { loss, reason }: { readonly loss: number; readonly reason: Source },
): Promise<Answer> {
  const tracked = await attempt(scene, () => findTracked(scene));
  if (tracked === null || scene.settings.handoff.show[reason] === "nothing") return {};
  const facts = trackedFacts(scene, tracked);
  const age = isLongAgo(scene.now(), facts.updatedAt) ? "old" : "fresh";
  const full = (reason === "compact" || reason === "resume" || reason === "fork") && age === "fresh";
  if (!full || scene.settings.handoff.show[reason] === "line") return { context: offerText(facts, age) };
  scene.sessions.tell(teller.session, { type: "handed", at: scene.now(), via: teller.via, loss, fallback: false });
  return { context: await handoffFor(scene, teller, facts, { loss, reason }) };
}
