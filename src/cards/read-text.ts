import { isUtf8 } from "node:buffer";
import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { hasCode, readInPlace, unreadable } from "../platform/files.ts";

export type ReadText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** Reads a regular file of at most `longest` bytes, never through a link; null if it does not exist. */
export function readText(path: string, longest: number): ReadText | null {
  try {
    return decode(readInPlace(path, longest));
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return null;
    const error = unreadable(path, cause);
    if (isHoldfastError(error, "file-unreadable")) return { ok: false, problem: error.data.problem };
    throw error;
  }
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
