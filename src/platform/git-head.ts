import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { hasCode } from "./files.ts";

export interface GitHead {
  readonly commit: string | null;
  /** Null where no branch is checked out. */
  readonly branch: string | null;
}

/** Where a worktree stands, read from git's own files: a hook has no time to start git. Null without git. */
export function gitHead(top: string): GitHead | null {
  const folder = gitFolder(top);
  const head = folder === null ? null : textIn(join(folder, "HEAD"));
  if (folder === null || head === null) return null;
  const ref = /^ref: (refs\/heads\/(.+))$/.exec(head.trim());
  if (ref === null) return { commit: asCommit(head), branch: null };
  const [, name = "", branch = ""] = ref;
  const common = resolve(folder, textIn(join(folder, "commondir"))?.trim() ?? ".");
  return { commit: asCommit(textIn(join(common, name)) ?? packed(common, name)), branch };
}

function gitFolder(top: string): string | null {
  const path = join(top, ".git");
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry === undefined || entry.isDirectory()) return entry === undefined ? null : path;
  const target = /^gitdir: (.+)$/m.exec(textIn(path) ?? "")?.[1];
  return target === undefined ? null : resolve(top, target.trim());
}

function packed(common: string, name: string): string {
  const lines = (textIn(join(common, "packed-refs")) ?? "").split("\n");
  return lines.find((line) => line.endsWith(` ${name}`)) ?? "";
}

function asCommit(text: string): string | null {
  return /^[0-9a-f]{40,64}\b/.exec(text)?.[0] ?? null;
}

function textIn(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EISDIR", "EACCES")) return null;
    throw error;
  }
}
