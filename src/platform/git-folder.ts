import { closeSync, existsSync, readdirSync, readSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { openPlain, readTextIfExists, unreadable } from "./files.ts";
import { systemError } from "./links.ts";
import { readOnlyEnv, safeGitOptions } from "./safe-git.ts";
import { sizeLimits } from "./size-limits.ts";
import { isUnchanged, type Stamp, stampOf } from "./stamp.ts";

/** What `.git` in a folder is: a folder, or a file that links to the folder of a worktree or submodule. */
export interface GitEntry {
  readonly isLink: boolean;
  /** Null for a link that names no folder. The folder itself may be missing. */
  readonly folder: string | null;
}

/** What git itself would not read in the place of one of its files. */
export const unlikeFile = ["ENOTDIR", "EISDIR", "ENXIO", "ELOOP", "E2BIG"] as const;

/** Null if there is no `.git` in the folder. Errors with one of the codes `ignored` count as a link without a folder. */
export function readGitEntry(top: string, ...ignored: readonly string[]): GitEntry | null {
  const path = join(top, ".git");
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry?.isDirectory()) return { isLink: false, folder: path };
  if (!entry?.isFile()) return null;
  const text = readTextIfExists(path, sizeLimits.gitName, ...unlikeFile, ...ignored) ?? "";
  const target = /^gitdir: ([^\0\n]+)$/m.exec(text)?.[1];
  return { isLink: true, folder: target === undefined ? null : resolve(top, target.trim()) };
}

/** The folder that a linked worktree shares with the main one; null for the folder of a whole repository. */
export function commonFolder(gitFolder: string, ...ignored: readonly string[]): string | null {
  const file = join(gitFolder, "commondir");
  const path = readTextIfExists(file, sizeLimits.gitName, ...unlikeFile, ...ignored);
  if (path?.includes("\0")) throw unreadable(file, systemError("ENOPATH", "read"));
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
  const ref = /^ref: (refs\/heads\/([^\0\n]+))$/.exec(head.trim());
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
  return readTextIfExists(path, most, ...unlikeFile, "EACCES");
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
 * Tells which files in a folder git tracks, and which folders in it are submodules. Reads git's index itself: starting
 * git is too slow for hooks.
 */
export function trackedBelow(folder: string): IsTracked {
  const seen = known.get(folder);
  if (seen !== undefined && isUnchanged(seen.index)) return seen.isTracked;
  const here = realpathSync(folder);
  const repository = findRepository(here);
  if (repository === null) return () => false;
  const { top, gitFolder } = repository;
  const index = join(gitFolder, "index");
  // Take the stamp before reading, so that a change during the read is noticed next time.
  const stamp = stampOf(index);
  const below = asIndexed(relative(top, join(here, "x")).split(sep).join("/").slice(0, -1));
  const paths = pathsIn(repository, below);
  // If the index cannot be understood, everything counts as tracked.
  const isTracked: IsTracked = (path) => paths?.has(below + asIndexed(path)) ?? true;
  if (known.size > mostKnown) known.clear();
  // Git replaces its index by another file, so even one that has just changed is told from the next by its stamp.
  known.set(folder, { index: stamp, isTracked });
  return isTracked;
}

/** What the indexes said about folders: every run that is read asks, and an index is long. */
const known = new Map<string, { readonly index: Stamp; readonly isTracked: IsTracked }>();
const mostKnown = 20;

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

/** Every path in the index that begins with `below`; null if the index has an unknown format. */
function pathsIn({ top, gitFolder }: Repository, below: string): ReadonlySet<string> | null {
  const found = new Set<string>();
  if (!existsSync(join(gitFolder, "index"))) return pathsInCommit(top, gitFolder, below);
  const config = textIn(join(commonFolder(gitFolder, "EACCES") ?? gitFolder, "config"), sizeLimits.gitList) ?? "";
  const hashLength = /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? 32 : 20;
  // A split index keeps most of its paths in another file.
  const names = readdirSync(gitFolder).filter((name) => name === "index" || name.startsWith("sharedindex."));
  for (const name of names) if (!readPaths(join(gitFolder, name), { hashLength, below, found })) return null;
  return found;
}

/**
 * The same for the current commit; null if git cannot tell. A clone whose checkout has failed halfway has files, but no
 * index. Otherwise only a repository without commits, or without a checkout, has none.
 */
function pathsInCommit(top: string, gitFolder: string, below: string): ReadonlySet<string> | null {
  const common = commonFolder(gitFolder, "EACCES") ?? gitFolder;
  if (gitHead(top)?.commit == null && !existsSync(join(common, "reftable"))) return new Set();
  // Only here is it worth its time: every hook loads this file.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const options = { cwd: top, env: readOnlyEnv(process.env), timeout: 1_000, maxBuffer: sizeLimits.gitList };
  const ask = (...words: readonly string[]) =>
    spawnSync("git", [...safeGitOptions, ...words], { ...options, encoding: "latin1" });
  const folder = below === "" ? [] : ["--", Buffer.from(below, "latin1").toString()];
  const { status, stdout } = ask("ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD", ...folder);
  if (status === 0) return new Set(stdout.split("\0").map(fold));
  return ask("rev-parse", "--verify", "--quiet", "HEAD").status === 1 ? new Set() : null;
}

interface PathSearch {
  readonly hashLength: number;
  readonly below: string;
  readonly found: Set<string>;
}

/** Reads the entries of an index, which are sorted by path, until no more can match. False if it cannot be understood. */
function readPaths(path: string, { hashLength, below, found }: PathSearch): boolean {
  const file = openIndex(path);
  try {
    const start = readWindow(file, 0);
    const version = start.length < 12 || start.toString("latin1", 0, 4) !== "DIRC" ? 0 : start.readUInt32BE(4);
    if (![2, 3, 4].includes(version)) return false;
    for (const name of namesIn(file, { version, entries: start.readUInt32BE(8), hashLength })) {
      if (name === null) return false;
      const folded = fold(name);
      if (folded.startsWith(below)) found.add(folded);
      else if (!ignoresCase && name > below) return true;
    }
    return true;
  } finally {
    closeSync(file);
  }
}

/** A pipe, a device or a folder in its place is an error: git itself would not get further either. */
function openIndex(path: string): number {
  try {
    return openPlain(path);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

interface IndexFormat {
  readonly version: number;
  readonly entries: number;
  readonly hashLength: number;
}

/** The paths of an index, in its order; null for an entry that is not whole. */
function* namesIn(file: number, { version, entries, hashLength }: IndexFormat): Generator<string | null> {
  let [name, start, at] = ["", 0, 12];
  let window = readWindow(file, start);
  for (let left = entries; left > 0; left--) {
    if (at > windowLength / 2) {
      start += at;
      at = 0;
      window = readWindow(file, start);
    }
    const flags = at + 40 + hashLength;
    if (flags + 6 > window.length) return yield null;
    const isExtended = version > 2 && (window.readUInt16BE(flags) & 0x4000) !== 0;
    // From version 4 on, a path only tells how it differs from the previous one.
    const afterFlags = flags + (isExtended ? 4 : 2);
    const { value: dropped, next: from } =
      version < 4 ? { value: name.length, next: afterFlags } : readNumber(window, afterFlags);
    const to = window.indexOf(0, from);
    if (to === -1) return yield null;
    name = name.slice(0, Math.max(name.length - dropped, 0)) + window.toString("latin1", from, to);
    at = version < 4 ? at + ((to - at + 8) & ~7) : to + 1;
    yield name;
  }
}

/** An entry is far shorter than half of this; an index may be far longer, and is read in parts. */
const windowLength = 256 * 1024;

function readWindow(file: number, start: number): Buffer {
  const window = Buffer.allocUnsafe(windowLength);
  return window.subarray(0, readSync(file, window, 0, windowLength, start));
}

/** How many bytes of the previous path to drop, in git's variable-length encoding. */
function readNumber(bytes: Buffer, from: number): { readonly value: number; readonly next: number } {
  let at = from;
  let byte = bytes[at++] ?? 0;
  let value = byte & 127;
  while (byte & 128) {
    byte = bytes[at++] ?? 0;
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, next: at };
}

const ignoresCase = process.platform !== "linux";

/** Ignores case where file systems usually do. */
function fold(path: string): string {
  return ignoresCase ? path.toLowerCase() : path;
}

/** A path as the index has it: its bytes. */
function asIndexed(path: string): string {
  return fold(Buffer.from(path).toString("latin1"));
}
