import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hasCode, namesInFolder, readTextIfExists, replaceFile, unwritable } from "../platform/files.ts";
import { refuseLinks, stateFolder } from "../platform/links.ts";
import { sizeLimits } from "../platform/size-limits.ts";

/** State of one working copy, which is not committed; the workflows and shims beside it are. */
const ignored = ["/runs/", "/sessions/", "/cache/", "/installed/", "/hooks.log", "/.gitignore"];
const ignoreText = `${ignored.join("\n")}\n`;
const olderIgnoreText = "/runs/\n/.gitignore\n";

/** Creates `.holdfast/` with its own .gitignore, so that runs never show up in the user's git status. */
export function prepareStateFolder(stateRoot: string): void {
  refuseLinks(stateRoot);
  // Create one level at a time, so that a project that was removed under a server is not recreated.
  for (const folder of [join(stateRoot, stateFolder), join(stateRoot, stateFolder, "runs")]) makeFolder(folder);
  ignoreState(stateRoot);
}

/** Creates no runs folder: in a linked worktree that would separate its runs from the project's. */
export function ignoreState(stateRoot: string): void {
  refuseLinks(stateRoot);
  const file = join(stateRoot, stateFolder, ".gitignore");
  const present = readTextIfExists(file, sizeLimits.settings, "ENOTDIR");
  // A .gitignore that someone changed is left alone.
  if (present === null || present === olderIgnoreText) replaceFile(file, ignoreText);
}

/** Removes our own empty folders and .gitignore from `.holdfast/`, and the folder itself if nothing else is in it. */
export function removeUnusedState(stateRoot: string): void {
  refuseLinks(stateRoot);
  const folder = join(stateRoot, stateFolder);
  const runs = namesInFolder(join(folder, "runs"), "ENOTDIR");
  const entries = namesInFolder(folder, "ENOTDIR").filter((name) => name !== "runs" || runs.length > 0);
  const ignore = readTextIfExists(join(folder, ".gitignore"), sizeLimits.settings, "ENOTDIR") ?? ignoreText;
  const isUsed = entries.some((name) => name !== ".gitignore" && ignored.some((line) => line.split("/")[1] === name));
  if (isUsed || ![ignoreText, olderIgnoreText].includes(ignore)) return;
  const isEmpty = entries.every((name) => name === ".gitignore");
  for (const path of isEmpty ? [folder] : [join(folder, "runs"), join(folder, ".gitignore")]) {
    rmSync(path, { recursive: true, force: true });
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) throw unwritable(folder, cause);
  }
}
