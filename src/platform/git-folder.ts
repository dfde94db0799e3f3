import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { hasCode, readRegularFile, readTextIfExists, unreadable } from "./files.ts";
import { sizeLimits } from "./size-limits.ts";
import { isUnchanged, type Stamp, stampOf } from "./stamp.ts";

/** What `.git` in a folder is: a folder, or a file that links to the folder of a worktree or submodule. */
export interface GitEntry {
  readonly isLink: boolean;
  /** Null for a link that names no folder. The folder itself may be missing. */
  readonly folder: string | null;
}

const absent = ["ENOENT", "ENOTDIR", "EISDIR", "ENXIO", "ELOOP", "E2BIG"];

/** Null if there is no `.git` in the folder. Errors with one of the codes `ignored` count as a link without a folder. */
export function readGitEntry(top: string, ...ignored: readonly string[]): GitEntry | null {
  const path = join(top, ".git");
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry?.isDirectory()) return { isLink: false, folder: path };
  if (!entry?.isFile()) return null;
  const target = /^gitdir: (.+)$/m.exec(readTextIfExists(path, sizeLimits.gitName, ...absent, ...ignored) ?? "")?.[1];
  return { isLink: true, folder: target === undefined ? null : resolve(top, target.trim()) };
}

/** The folder that a linked worktree shares with the main one; null for the folder of a whole repository. */
export function commonFolder(gitFolder: string, ...ignored: readonly string[]): string | null {
  const path = readTextIfExists(join(gitFolder, "commondir"), sizeLimits.gitName, ...absent, ...ignored);
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
  const head = folder === null ? null : textIn(join(folder, "HEAD"), sizeLimits.gitName);
  if (folder === null || head === null) return null;
  const ref = /^ref: (refs\/heads\/(.+))$/.exec(head.trim());
  if (ref === null) return { commit: asCommit(head), branch: null };
  const [, name = "", branch = ""] = ref;
  const common = commonFolder(folder, "EACCES") ?? folder;
  return { commit: asCommit(textIn(join(common, name), sizeLimits.gitName) ?? packed(common, name)), branch };
}

function packed(common: string, name: string): string {
  const lines = (textIn(join(common, "packed-refs"), sizeLimits.gitList) ?? "").split("\n");
  return lines.find((line) => line.endsWith(` ${name}`)) ?? "";
}

function asCommit(text: string): string | null {
  return /^[0-9a-f]{40,64}\b/.exec(text)?.[0] ?? null;
}

function textIn(path: string, most: number): string | null {
  return readTextIfExists(path, most, "ENOTDIR", "EISDIR", "EACCES", "ENXIO", "ELOOP", "E2BIG");
}

/**
 * The addresses of the remote `origin`, as git's own configuration of the repository has them; null without one. Only
 * good for noticing a change: included files and rewritten addresses are not followed.
 */
export function gitOrigin(top: string): string | null {
  const folder = readGitEntry(top, "EACCES")?.folder ?? null;
  const config =
    folder === null ? null : textIn(join(commonFolder(folder, "EACCES") ?? folder, "config"), sizeLimits.gitList);
  const sections = (config ?? "").split(/^[ \t]*(?=\[)/m);
  const origins = sections.filter((section) => /^\[\s*remote\s+"origin"\s*\]/i.test(section));
  const urls = origins.flatMap((section) => [...section.matchAll(/^[ \t]*url[ \t]*=[ \t]*(.*?)[ \t\r]*$/gim)]);
  return urls.length === 0 ? null : urls.map(([, url = ""]) => url).join("\n");
}

/** Whether git tracks a file; the path is relative to the folder, with `/` as separator. */
export type IsTracked = (path: string) => boolean;

/**
 * Tells which files in a folder git tracks. Git is called only if the bytes of its index are inconclusive: indexes of
 * version 2 and 3 contain every path as it is, so a path that is not in there is not tracked.
 */
export function trackedBelow(folder: string): IsTracked {
  const here = realpathSync(folder);
  const repository = findRepository(here);
  if (repository === null) return () => false;
  const { top, gitFolder } = repository;
  const below = relative(top, join(here, "x")).split(sep).join("/").slice(0, -1);
  const path = join(gitFolder, "index");
  if (without?.folder === here && without.index.path === path && isUnchanged(without.index)) return () => false;
  const stamp = stampOf(path);
  const index = readIndex(path);
  if (index === null) return () => false;
  const isPlain = holdsWholePaths(index) && !isSplit(gitFolder);
  const bytes = isPlain ? fold(index.toString("latin1")) : null;
  const holds = (path: string) => bytes?.includes(fold(Buffer.from(path).toString("latin1"))) ?? true;
  if (!holds(below)) {
    if (stamp.settled) without = { folder: here, index: stamp };
    return () => false;
  }
  const tracked = askGit(top, below);
  // If git cannot answer, everything that may be tracked counts as tracked.
  if (tracked === null) return (path) => holds(`${below}${path}`);
  return (path) => tracked.has(fold(`${below}${path}`));
}

/** The last folder without a tracked file, and the index that said so: a server asks at every advance, and an index is long. */
let without: { readonly folder: string; readonly index: Stamp } | null = null;

interface Repository {
  readonly top: string;
  /** Contains the index. In a linked worktree or a submodule this is not `.git`. */
  readonly gitFolder: string;
}

function findRepository(start: string): Repository | null {
  for (let top = start; ; top = dirname(top)) {
    const gitFolder = readGitEntry(top)?.folder ?? null;
    if (gitFolder !== null) return { top, gitFolder };
    if (dirname(top) === top) return null;
  }
}

/** Empty if it is too long to look into. */
function readIndex(path: string): Buffer | null {
  try {
    return readRegularFile(path, sizeLimits.gitIndex);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    if (hasCode(error, "E2BIG")) return Buffer.alloc(0);
    throw unreadable(path, error);
  }
}

/** Version 4 compresses path prefixes. */
function holdsWholePaths(index: Buffer): boolean {
  if (index.length < 12 || index.toString("latin1", 0, 4) !== "DIRC") return false;
  return [2, 3].includes(index.readUInt32BE(4));
}

/** A split index keeps most of its paths in another file. */
function isSplit(gitFolder: string): boolean {
  return existsSync(gitFolder) && readdirSync(gitFolder).some((name) => name.startsWith("sharedindex."));
}

/** Ignores case where file systems usually do. */
function fold(path: string): string {
  return process.platform === "linux" ? path : path.toLowerCase();
}

function askGit(top: string, below: string): ReadonlySet<string> | null {
  const { PATH, HOME, USERPROFILE, XDG_CONFIG_HOME, SystemRoot } = process.env;
  try {
    // The repository's configuration must not run programs, and our environment must not lead git elsewhere.
    const words = [
      "--no-optional-locks",
      "-c",
      "core.fsmonitor=false",
      "ls-files",
      "-z",
      "--",
      `:(icase,literal)${below}`,
    ];
    const env = { PATH, HOME, USERPROFILE, XDG_CONFIG_HOME, SystemRoot };
    const options = { cwd: top, env, timeout: 1_500, maxBuffer: 16 * 1024 * 1024 };
    // Hooks run at every turn and rarely get here, so load child_process only now.
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const listed = execFileSync("git", words, { ...options, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return new Set(listed.split("\0").map(fold));
  } catch (error) {
    if (error instanceof Error && ("status" in error || "code" in error)) return null;
    throw error;
  }
}
