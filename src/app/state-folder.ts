import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../errors.ts";
import { replaceFile, unwritable } from "../platform/files.ts";
import { stateFolder } from "../platform/roots.ts";

/** Makes `.holdfast/` with its own ignore file, so that runs never show up in the user's git status. */
export function prepareStateFolder(stateRoot: string): void {
  const folder = join(stateRoot, stateFolder);
  const runs = join(folder, "runs");
  for (const path of [folder, runs]) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new HoldfastError("state-broken", {
        file: path,
        problem: "it is a symbolic link; runs are not kept behind one",
      });
    }
  }
  try {
    mkdirSync(runs, { recursive: true });
  } catch (cause) {
    throw unwritable(runs, cause);
  }
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore)) replaceFile(ignore, "/runs/\n/.gitignore\n");
}
