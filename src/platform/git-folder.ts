import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { readTextIfExists } from "./files.ts";

/** What `.git` in a folder is: a folder, or a file that links to the folder of a worktree or submodule. */
export interface GitEntry {
  readonly isLink: boolean;
  /** Null for a link that names no folder. The folder itself may be missing. */
  readonly folder: string | null;
}

const absent = ["ENOENT", "ENOTDIR", "EISDIR", "ENXIO"];

/** Null if there is no `.git` in the folder. Errors with one of the codes `ignored` count as a link without a folder. */
export function readGitEntry(top: string, ...ignored: readonly string[]): GitEntry | null {
  const path = join(top, ".git");
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry?.isDirectory()) return { isLink: false, folder: path };
  if (!entry?.isFile()) return null;
  const target = /^gitdir: (.+)$/m.exec(readTextIfExists(path, ...absent, ...ignored) ?? "")?.[1];
  return { isLink: true, folder: target === undefined ? null : resolve(top, target.trim()) };
}

/** The folder that a linked worktree shares with the main one; null for the folder of a whole repository. */
export function commonFolder(gitFolder: string, ...ignored: readonly string[]): string | null {
  const path = readTextIfExists(join(gitFolder, "commondir"), ...absent, ...ignored);
  return path === null ? null : resolve(gitFolder, path.trim());
}

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
  return readTextIfExists(path, "ENOTDIR", "EISDIR", "EACCES", "ENXIO");
}

/**
 * The addresses of the remote `origin`, as git's own configuration of the repository has them; null without one. Only
 * good for noticing a change: included files and rewritten addresses are not followed.
 */
export function gitOrigin(top: string): string | null {
  const folder = readGitEntry(top, "EACCES")?.folder ?? null;
  const config = folder === null ? null : textIn(join(commonFolder(folder, "EACCES") ?? folder, "config"));
  const sections = (config ?? "").split(/^[ \t]*(?=\[)/m);
  const origins = sections.filter((section) => /^\[\s*remote\s+"origin"\s*\]/i.test(section));
  const urls = origins.flatMap((section) => [...section.matchAll(/^[ \t]*url[ \t]*=[ \t]*(.*?)[ \t\r]*$/gim)]);
  return urls.length === 0 ? null : urls.map(([, url = ""]) => url).join("\n");
}
