import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hasCode, namesInFolder, readTextIfExists, replaceFile, unwritable } from "../platform/files.ts";
import { stateFolder } from "../platform/roots.ts";
import { refuseLinks } from "./refuse-links.ts";

/** What belongs to one working copy; workflows and shims beside it are the project's, to be committed. */
const ignored = ["/runs/", "/sessions/", "/cache/", "/installed/", "/hooks.log", "/.gitignore"];
const ignoreText = `${ignored.join("\n")}\n`;
const olderIgnoreText = "/runs/\n/.gitignore\n";

/** Makes `.holdfast/` with its own ignore file, so that runs never show up in the user's git status. */
export function prepareStateFolder(stateRoot: string): void {
  refuseLinks(stateRoot);
  // One after the other: a project that was removed under a server is not made anew.
  for (const folder of [join(stateRoot, stateFolder), join(stateRoot, stateFolder, "runs")]) makeFolder(folder);
  ignoreState(stateRoot);
}

/** Without a folder for runs: in a linked worktree that would keep its runs apart from those of the project. */
export function ignoreState(stateRoot: string): void {
  refuseLinks(stateRoot);
  const file = join(stateRoot, stateFolder, ".gitignore");
  const present = readTextIfExists(file, "ENOTDIR");
  // A file that someone wrote differently is left to them.
  if (present === null || present === olderIgnoreText) replaceFile(file, ignoreText);
}

/** Removes `.holdfast/` when it holds nothing but what we made ourselves to hold something. */
export function removeUnusedState(stateRoot: string): void {
  refuseLinks(stateRoot);
  const folder = join(stateRoot, stateFolder);
  const entries = namesInFolder(folder, "ENOTDIR");
  const runs = namesInFolder(join(folder, "runs"), "ENOTDIR");
  const ours = entries.every((name) => name === ".gitignore" || (name === "runs" && runs.length === 0));
  const ignore = readTextIfExists(join(folder, ".gitignore"), "ENOTDIR") ?? ignoreText;
  if (ours && [ignoreText, olderIgnoreText].includes(ignore)) rmSync(folder, { recursive: true, force: true });
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) throw unwritable(folder, cause);
  }
}
