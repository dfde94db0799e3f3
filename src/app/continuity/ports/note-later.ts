import type { Notice } from "../../../engine/commands/notice.ts";
import type { Standing } from "../../../journal/run-journal.ts";
import type { Scene } from "./scene.ts";

/** Puts what a hook has seen into the run's journal, and loads what that takes only then. */
export async function noteLater(scene: Scene, before: Standing, commands: readonly Notice[]): Promise<Standing> {
  if (commands.length === 0) return before;
  const { noteRun } = await import("./note-run.ts");
  return noteRun(scene, before, commands);
}
