import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../errors.ts";
import { replaceFile, unwritable } from "../platform/files.ts";
import { stateFolder } from "../platform/roots.ts";

/** Makes `.holdfast/` with its own ignore file, so that runs never show up in the user's git status. */
export function prepareStateFolder(stateRoot: string): void {
  refuseLinks(stateRoot);
  const folder = join(stateRoot, stateFolder);
  const runs = join(folder, "runs");
  try {
    mkdirSync(runs, { recursive: true });
  } catch (cause) {
    throw unwritable(runs, cause);
  }
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore)) replaceFile(ignore, "/runs/\n/.gitignore\n");
}

/** A project could bring a link along that leads to files of the user's; nothing is read or written behind one. */
export function refuseLinks(stateRoot: string): void {
  const folder = join(stateRoot, stateFolder);
  for (const file of [folder, join(folder, "runs")]) {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) {
      throw new HoldfastError("state-broken", { file, problem: "it is a symbolic link; runs are not kept behind one" });
    }
    // Whoever reads or writes there will say that it is a file.
    if (!found?.isDirectory()) return;
  }
}
