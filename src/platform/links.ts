import { lstatSync, realpathSync, type Stats } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { HoldfastError } from "../errors.ts";
import { hasSettled } from "./stamp.ts";
import { systemProblem } from "./system-problem.ts";

// A cloned project could contain a link to the user's own files, or to a device that never ends.

export const stateFolder = ".holdfast";

/** Refuses a state folder that is a link, or has its runs, sessions or cache behind one. */
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

/** And for the project's workflows folder. */
export function refuseLinkedWorkflows(stateRoot: string): void {
  refuseLinks(stateRoot);
  statUnlinked([stateRoot, stateFolder, "workflows"].join(sep));
}

/** The folder's stamp when it was last found to have no links. */
let seen = "";

/** The file's stats, if it exists; throws for a link. A file in the place of a folder is left to the read or write that follows. */
function statUnlinked(file: string): Stats | undefined {
  const there = statIfExists(file);
  if (!there?.isSymbolicLink()) return there;
  throw new HoldfastError("state-broken", { file, problem: "it is a symbolic link; state is not stored behind one" });
}

function statIfExists(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    const problem = systemProblem(error);
    throw problem === null ? error : new HoldfastError("file-unreadable", { file, problem }, { cause: error });
  }
}

/**
 * Every way to open a file or a folder asks this first: below a state folder no part of a path may be a link, whoever
 * asks. Throws ELOOP, as opening a link in place does. A last part without a separator is not looked at: a rename replaces
 * it, and does not go through it.
 */
export function refuseLinkedState(path: string): void {
  const at = path.indexOf(sep + stateFolder + sep);
  if (at !== -1) refuseLinksBelow(path.slice(0, at), path);
}

/** The same below any folder, which must be a real path. */
export function refuseLinksBelow(root: string, path: string): void {
  for (let end = path.indexOf(sep, root.length + 1); end !== -1; end = path.indexOf(sep, end + 1)) {
    const there = lstatSync(path.slice(0, end), { throwIfNoEntry: false });
    if (there === undefined) return;
    if (there.isSymbolicLink()) throw systemError("ELOOP", "open");
  }
}

/** An error like those of the system, which `unreadable` and `unwritable` can put into words. */
export function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(code), { code, syscall });
}

/** Resolves the links in a path, as far as it exists; null if it leads outside `root`, which must be a real path. */
export function resolveInside(root: string, path: string): { readonly path: string; readonly exists: boolean } | null {
  const real = realPath(path);
  if (real !== null) return isWithin(root, real) ? { path: real, exists: true } : null;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const there = realPath(folder);
    if (there !== null) return isWithin(root, there) ? { path, exists: false } : null;
    if (folder === dirname(folder)) return null;
  }
}

/** Null if the path does not exist or cannot be accessed. */
export function realPath(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG"].includes(code)) return null;
    throw error;
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return !(isAbsolute(way) || way.split(sep)[0] === "..");
}
