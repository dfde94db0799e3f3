import { statSync } from "node:fs";
import { isAbsolute, join, sep } from "node:path";
import { bare } from "../model/quote.ts";
import { namesInFolder, readUtf8 } from "../platform/files.ts";
import { resolveInside } from "../platform/links.ts";

/** A file that may describe a workflow. */
export interface Source {
  /** Relative to the project root, with `/` as separator. */
  readonly path: string;
  readonly text: string;
}

/** Limits that keep a hook fast, however many plans there are. */
const mostLooked = 2_000;
const mostRead = 200;
const mostBytes = 8 * 1024 * 1024;
const longestSource = 256 * 1024;
/** Patterns may name folders within folders, and links may make every folder contain itself. */
const mostFolders = 1_000;
const mostPaths = 20_000;
/** There may be many such patterns, and folders with very many names. */
const mostFoldersInAll = 2_000;
const mostNamesInAll = 100_000;

/** What the patterns together have looked at. */
interface Effort {
  folders: number;
  names: number;
}

/** The matching files, newest first, then by name. Unreadable files are skipped, and `reasons` says why. */
export function findSources(root: string, globs: readonly string[], reasons: string[]): Source[] {
  const effort = { folders: 0, names: 0 };
  const paths = new Set(globs.flatMap((glob) => expand(root, glob, effort, reasons)));
  // Names often begin with a number or a date, so the last ones are most likely the newest.
  const looked = [...paths].sort().slice(-mostLooked);
  const dated = looked.flatMap((path) => locate(root, path, reasons));
  const newest = dated.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1)).slice(0, mostRead);
  const sources: Source[] = [];
  let left = mostBytes;
  for (const { path, real, size } of newest) {
    if (left < 0) break;
    const read = readUtf8(real, longestSource);
    if (read?.ok) sources.push({ path, text: read.text });
    else if (read !== null) reasons.push(`${bare(path)}: ${read.problem}`);
    left -= Math.min(size, longestSource);
  }
  return sources;
}

/** Expands a glob: `*` matches any text within one path segment, and hidden names only if the pattern begins with a dot. */
function expand(root: string, glob: string, effort: Effort, reasons: string[]): string[] {
  const parts = glob.split("/").filter((part) => part !== "" && part !== ".");
  if (isAbsolute(glob) || parts.includes("..")) {
    reasons.push(`${bare(glob)}: it is outside the project`);
    return [];
  }
  let paths = [""];
  const most = Math.min(effort.folders + mostFolders, mostFoldersInAll);
  for (const part of parts) {
    const here = paths;
    paths = [];
    for (const path of here) {
      if (!part.includes("*")) paths.push(join(path, part));
      else if (++effort.folders <= most && mayGoOn(effort, paths)) {
        paths = paths.concat(namesIn(root, path, part, effort));
      } else {
        reasons.push(`${bare(glob)}: it matches too many folders`);
        return [];
      }
    }
  }
  return paths.map((path) => path.split(sep).join("/"));
}

function mayGoOn({ names }: Effort, paths: readonly string[]): boolean {
  return names <= mostNamesInAll && paths.length <= mostPaths;
}

function namesIn(root: string, path: string, pattern: string, effort: Effort): string[] {
  const folder = resolveInside(root, join(root, path));
  if (folder === null || !folder.exists) return [];
  const names = namesInFolder(folder.path, "ENOTDIR", "EACCES", "EPERM");
  effort.names += names.length;
  return names
    .filter((name) => name.startsWith(".") === pattern.startsWith(".") && matchesStars(pattern, name))
    .map((name) => join(path, name));
}

/** Each piece between the stars is looked for once, as far left as it can be: nothing is ever tried again. */
function matchesStars(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split(/\*+/);
  const last = rest.pop() ?? "";
  const end = name.length - last.length;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at <= end;
}

interface Located {
  readonly path: string;
  readonly real: string;
  readonly time: number;
  readonly size: number;
}

function locate(root: string, path: string, reasons: string[]): Located[] {
  const found = resolveInside(root, join(root, path));
  if (found === null) reasons.push(`${bare(path)}: it is outside the project`);
  if (found === null || !found.exists) return [];
  const there = statSync(found.path, { throwIfNoEntry: false });
  return there === undefined ? [] : [{ path, real: found.path, time: there.mtimeMs, size: there.size }];
}
