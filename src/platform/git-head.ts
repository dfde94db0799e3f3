import { join } from "node:path";
import { readTextIfExists } from "./files.ts";
import { commonFolder, readGitEntry } from "./git-folder.ts";

export interface GitHead {
  readonly commit: string | null;
  /** Null if no branch is checked out. */
  readonly branch: string | null;
}

/**
 * The commit and branch of a worktree, read from git's files because starting git is too slow for hooks. Null without
 * git.
 */
export function gitHead(top: string): GitHead | null {
  const folder = readGitEntry(top, "EACCES")?.folder ?? null;
  const head = folder === null ? null : textIn(join(folder, "HEAD"));
  if (folder === null || head === null) return null;
  const ref = /^ref: (refs\/heads\/(.+))$/.exec(head.trim());
  if (ref === null) return { commit: asCommit(head), branch: null };
  const [, name = "", branch = ""] = ref;
  const common = commonFolder(folder, "EACCES") ?? folder;
  return { commit: asCommit(textIn(join(common, name)) ?? packed(common, name)), branch };
}

function packed(common: string, name: string): string {
  const lines = (textIn(join(common, "packed-refs")) ?? "").split("\n");
  return lines.find((line) => line.endsWith(` ${name}`)) ?? "";
}

function asCommit(text: string): string | null {
  return /^[0-9a-f]{40,64}\b/.exec(text)?.[0] ?? null;
}

function textIn(path: string): string | null {
  return readTextIfExists(path, "ENOTDIR", "EISDIR", "EACCES");
}
