import { lstatSync, type Stats } from "node:fs";
import { sep } from "node:path";
import { HoldfastError } from "../errors.ts";
import { stateFolder } from "../platform/roots.ts";
import { hasSettled } from "../platform/stamp.ts";

/** A cloned project could contain a link to the user's own files, so nothing is read or written through one. */
export function refuseLinks(stateRoot: string): void {
  const folder = stateRoot + sep + stateFolder;
  const there = statUnlinked(folder);
  // If it is a file, the read or write that follows reports it.
  if (!there?.isDirectory()) return;
  // The folder's stamp changes when an entry is replaced by a link.
  const stamp = `${there.ino} ${there.ctimeMs} ${folder}`;
  if (stamp === seen) return;
  for (const name of ["runs", "sessions", "cache"]) statUnlinked(folder + sep + name);
  if (hasSettled(there.ctimeMs)) seen = stamp;
}

/** The same for the folder of one run, before a received run is written there. */
export function refuseLinkedRun(stateRoot: string, runId: string): void {
  refuseLinks(stateRoot);
  statUnlinked([stateRoot, stateFolder, "runs", runId].join(sep));
}

/** And for the project's workflows folder, which may be read through a link but not written. */
export function refuseLinkedWorkflows(stateRoot: string): void {
  refuseLinks(stateRoot);
  statUnlinked([stateRoot, stateFolder, "workflows"].join(sep));
}

/** The folder's stamp when it was last found to have no links. */
let seen = "";

/** The file's stats, if it exists; throws for a link. */
function statUnlinked(file: string): Stats | undefined {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (!there?.isSymbolicLink()) return there;
  throw new HoldfastError("state-broken", { file, problem: "it is a symbolic link; state is not stored behind one" });
}
