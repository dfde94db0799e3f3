import type { HandoffFacts } from "../../../handoff/facts.ts";
import type { Source } from "../../../project/settings.ts";
import { noteLater } from "../ports/note-later.ts";
import { attempt, type LiveStanding, type Scene, type Teller } from "../ports/scene.ts";
import { append, handoffFor, roomBehind } from "./handoff-for.ts";

/** The handoff of a run, with its critical artifacts as far as there is room for them behind the rest. */
export async function wholeHandoff(
  scene: Scene,
  teller: Teller,
  standing: LiveStanding,
  facts: HandoffFacts,
  { loss, reason: source }: { readonly loss: number; readonly reason: Source },
): Promise<string> {
  const { critical_artifacts: own } = await scene.templateOf(standing.run);
  if (own === undefined && scene.settings.artifacts.length === 0) {
    return handoffFor(scene, teller, facts, { loss, reason: source });
  }
  const handoff = await handoffFor(scene, teller, facts, { loss, reason: source, spare });
  const { artifactsFor } = await import("./handoff-artifacts.ts");
  const { session } = teller;
  const room = Math.max(0, roomBehind(scene, teller, handoff) - heading.length);
  const { text, records } = await artifactsFor(scene, standing, { source, session, room });
  await attempt(scene, () => noteLater(scene, standing, [{ type: "note-artifacts", session, artifacts: records }]));
  return text === "" ? handoff : append(handoff, `${heading}${text}`);
}

const heading = "CRITICAL ARTIFACTS\n\n";

/** The part of a handoff that artifacts may count on, so that a long one leaves room to name them at least. */
const spare = 0.2;
