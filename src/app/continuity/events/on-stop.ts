import { holdText } from "../../../handoff/short-texts.ts";
import { gatherFacts } from "../handoff/gather-facts.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { noteLater } from "../ports/note-later.ts";
import { type Answer, attempt, isLiveStanding, type Scene, type Teller } from "../ports/scene.ts";

/** The agent stops. The turn counts; a workflow that holds its agent says once what is still to do. */
export async function onStop(scene: Scene, teller: Teller, stopActive: boolean): Promise<Answer> {
  const chosen = await chooseForHook(scene, teller);
  if (chosen?.claim !== "bound" || stopActive) return {};
  const { run } = chosen.standing;
  const template = await scene.templateOf(run);
  const { session, via } = teller;
  if (!scene.sessions.tell(session, { type: "stopped", at: scene.now(), via }).first) return {};
  const noted = await attempt(scene, () => noteLater(scene, chosen.standing, [{ type: "count", turns: 1, session }]));
  const standing = noted ?? chosen.standing;
  if (template.hold !== true || standing.run.status !== "running" || !isLiveStanding(standing)) return {};
  return { block: holdText(await gatherFacts(scene, standing, { session, others: [] })) };
}
