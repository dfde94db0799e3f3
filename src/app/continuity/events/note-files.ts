import { relative, resolve, sep } from "node:path";
import { findStep } from "../../../engine/step-settings.ts";
import { runProjectRoot } from "../../../journal/outputs.ts";
import { isLiveStanding } from "../../../journal/run-journal.ts";
import { visitsFor } from "../../../model/run-state.ts";
import { chooseForHook } from "../ports/choose-for-hook.ts";
import { attempt, type ContinuityPorts, type HookSource, recordNotices } from "../ports/ports.ts";

/** Registers the files that a tool wrote, if the current step has `artefacts: true`. */
export async function noteFiles(ports: ContinuityPorts, hook: HookSource, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const chosen = await chooseForHook(ports, hook);
  if (chosen?.claim !== "bound" || !isLiveStanding(chosen.standing)) return;
  const { run } = chosen.standing;
  const template = await ports.templateOf(run);
  const visit = visitsFor(run, hook.session)[0];
  if (findStep(template, visit?.place.step ?? "")?.artefacts !== true) return;
  const root = runProjectRoot(ports.roots, visit?.claim ?? run);
  const inside = paths.map((path) => relative(root, resolve(root, path))).filter(isInside);
  if (inside.length === 0) return;
  await attempt(ports, () =>
    recordNotices(ports, chosen.standing, [
      { type: "register-artefacts", paths: inside.map((path) => path.split(sep).join("/")) },
    ]),
  );
}

function isInside(path: string): boolean {
  return path !== "" && path !== ".." && !path.startsWith(`..${sep}`);
}
