import { lstatSync, type Stats } from "node:fs";
import { sep } from "node:path";
import { HoldfastError } from "../errors.ts";
import { stateFolder } from "../platform/roots.ts";
import { hasSettled } from "../platform/stamp.ts";

/** A project could bring a link along that leads to files of the user's; nothing is read or written behind one. */
export function refuseLinks(stateRoot: string): void {
  const folder = stateRoot + sep + stateFolder;
  const there = plain(folder);
  // Where it is a file, whoever reads or writes there will say so.
  if (!there?.isDirectory()) return;
  // A folder changes whenever something in it becomes a link.
  const stamp = `${there.ino} ${there.ctimeMs} ${folder}`;
  if (stamp === seen) return;
  for (const name of ["runs", "sessions", "cache"]) plain(folder + sep + name);
  if (hasSettled(there.ctimeMs)) seen = stamp;
}

/** The same for the folder of one run, before something from elsewhere is written there. */
export function refuseLinkedRun(stateRoot: string, runId: string): void {
  refuseLinks(stateRoot);
  plain([stateRoot, stateFolder, "runs", runId].join(sep));
}

/** And for the folder of the project's workflows, which may well be read through a link, but not written to. */
export function refuseLinkedWorkflows(stateRoot: string): void {
  refuseLinks(stateRoot);
  plain([stateRoot, stateFolder, "workflows"].join(sep));
}

/** The folder as it was when there was no link in it. */
let seen = "";

/** What is there, if anything; never a link. */
function plain(file: string): Stats | undefined {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (!there?.isSymbolicLink()) return there;
  throw new HoldfastError("state-broken", { file, problem: "it is a symbolic link; nothing is kept behind one" });
}
