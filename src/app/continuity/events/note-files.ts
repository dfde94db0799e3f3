import { relative, resolve, sep } from "node:path";
import { findStep } from "../../../engine/step-settings.ts";
import { projectRootOf } from "../../../journal/outputs.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { noteLater } from "../ports/note-later.ts";
import { attempt, isLiveStanding, type Scene, type Teller } from "../ports/scene.ts";

/** Files that a tool has written belong to the step, where it says so. */
export async function noteFiles(scene: Scene, teller: Teller, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const chosen = await chooseForHook(scene, teller);
  if (chosen?.claim !== "bound" || !isLiveStanding(chosen.standing)) return;
  const { run } = chosen.standing;
  const template = await scene.templateOf(run);
  const step = run.visits[0]?.place.step ?? "";
  if (findStep(template, step)?.artefacts !== true) return;
  const root = projectRootOf(scene.roots, run);
  const inside = paths.map((path) => relative(root, resolve(root, path))).filter(isInside);
  if (inside.length === 0) return;
  await attempt(scene, () =>
    noteLater(scene, chosen.standing, [
      { type: "register-artefacts", paths: inside.map((path) => path.split(sep).join("/")) },
    ]),
  );
}

function isInside(path: string): boolean {
  return path !== "" && path !== ".." && !path.startsWith(`..${sep}`);
}
