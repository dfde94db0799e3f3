import { tidySessions } from "../../../sessions/old-sessions.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { noteLater } from "../ports/note-later.ts";
import { type Answer, attempt, type Scene, type Teller } from "../ports/scene.ts";

/** The conversation is over; a clear leaves its place to the session that follows. */
export async function endSession(scene: Scene, teller: Teller, reason: string): Promise<Answer> {
  const { session, via, parent } = teller;
  const { first } = scene.sessions.tell(session, { type: "ended", at: scene.now(), via, reason });
  if (reason !== "clear") scene.sessions.clearParent(parent, session);
  if (!first) return {};
  tidySessions(scene.sessions.folder);
  const chosen = await chooseForHook(scene, teller);
  // One that got the run's handoff and did nothing has no seat in it, and is one of its sessions all the same.
  if (chosen === null || !chosen.standing.run.sessions.some(({ id }) => id === session)) return {};
  await attempt(scene, () => noteLater(scene, chosen.standing, [{ type: "end-session", session, reason }]));
  return {};
}
