import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, type Stats } from "node:fs";
import { join, sep } from "node:path";
import { HoldfastError } from "../errors.ts";
import { hasCode, replaceFile, unreadable, unwritable } from "../platform/files.ts";
import { stateFolder } from "../platform/roots.ts";
import { hasSettled } from "../platform/stamp.ts";

/** What belongs to one working copy; workflows and shims beside it are the project's, to be committed. */
const ignored = ["/runs/", "/sessions/", "/cache/", "/installed/", "/hooks.log", "/.gitignore"];
const ignoreText = `${ignored.join("\n")}\n`;
const olderIgnoreText = "/runs/\n/.gitignore\n";

/** Makes `.holdfast/` with its own ignore file, so that runs never show up in the user's git status. */
export function prepareStateFolder(stateRoot: string): void {
  refuseLinks(stateRoot);
  const runs = join(stateRoot, stateFolder, "runs");
  try {
    mkdirSync(runs, { recursive: true });
  } catch (cause) {
    throw unwritable(runs, cause);
  }
  ignoreState(stateRoot);
}

/** Without a folder for runs: in a linked worktree that would keep its runs apart from those of the project. */
export function ignoreState(stateRoot: string): void {
  refuseLinks(stateRoot);
  const file = join(stateRoot, stateFolder, ".gitignore");
  const present = readIfThere(file);
  // A file that someone wrote differently is left to them.
  if (present === null || present === olderIgnoreText) replaceFile(file, ignoreText);
}

/** Removes `.holdfast/` when it holds nothing but what we made ourselves to hold something. */
export function removeUnusedState(stateRoot: string): void {
  refuseLinks(stateRoot);
  const folder = join(stateRoot, stateFolder);
  const [entries, runs] = [namesIn(folder), namesIn(join(folder, "runs"))];
  const ours = entries.every((name) => name === ".gitignore" || (name === "runs" && runs.length === 0));
  const ignore = readIfThere(join(folder, ".gitignore")) ?? ignoreText;
  if (ours && [ignoreText, olderIgnoreText].includes(ignore)) rmSync(folder, { recursive: true, force: true });
}

/** A project could bring a link along that leads to files of the user's; nothing is read or written behind one. */
export function refuseLinks(stateRoot: string): void {
  const folder = `${stateRoot}${sep}${stateFolder}`;
  const there = plain(folder);
  // Where it is a file, whoever reads or writes there will say so.
  if (!there?.isDirectory()) return;
  // A folder changes whenever something in it becomes a link.
  if (seen.folder === folder && seen.ino === there.ino && seen.ctimeMs === there.ctimeMs) return;
  for (const name of ["runs", "sessions", "cache"]) plain(join(folder, name));
  if (hasSettled(there.ctimeMs)) seen = { folder, ino: there.ino, ctimeMs: there.ctimeMs };
}

/** The folder as it was when there was no link in it. */
let seen = { folder: "", ino: 0, ctimeMs: 0 };

/** What is there, if anything; never a link. */
function plain(file: string): Stats | undefined {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (!there?.isSymbolicLink()) return there;
  throw new HoldfastError("state-broken", { file, problem: "it is a symbolic link; nothing is kept behind one" });
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return null;
    throw unreadable(file, cause);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return [];
    throw unreadable(folder, cause);
  }
}
