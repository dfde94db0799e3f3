import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { hasCode, unreadable } from "../platform/files.ts";

export type ReadText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** Reads a regular file of at most `longest` bytes, never through a link; null if it does not exist. */
export function readText(path: string, longest: number): ReadText | null {
  try {
    // Without O_NONBLOCK, opening a pipe could block forever.
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return readPlain(file, longest);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return null;
    const error = unreadable(path, cause);
    if (isHoldfastError(error, "file-unreadable")) return { ok: false, problem: error.data.problem };
    throw error;
  }
}

function readPlain(file: number, longest: number): ReadText {
  const found = fstatSync(file);
  if (found.isDirectory()) return { ok: false, problem: "it is a folder" };
  if (!found.isFile()) return { ok: false, problem: "it is not a regular file" };
  if (found.size > longest) return { ok: false, problem: "it is too large" };
  return decode(readFileSync(file));
}

function decode(bytes: Buffer): ReadText {
  if (bytes.includes(0) || !isUtf8(bytes)) return { ok: false, problem: "it is not UTF-8 text" };
  return { ok: true, text: bytes.toString("utf8").replace(/^\uFEFF/, "") };
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
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG")) return null;
    throw error;
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return !(isAbsolute(way) || way.split(sep)[0] === "..");
}
