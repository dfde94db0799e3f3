import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { hasCode } from "../platform/files.ts";

/** Where a path really leads, as far as it exists; null when that is out of the root, which is a real path itself. */
export function insideOf(root: string, path: string): { readonly path: string; readonly exists: boolean } | null {
  const real = realPath(path);
  if (real !== null) return isBelow(root, real) ? { path: real, exists: true } : null;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const there = realPath(folder);
    if (there !== null) return isBelow(root, there) ? { path, exists: false } : null;
    if (folder === dirname(folder)) return null;
  }
}

/** Null when nothing can be reached there. */
export function realPath(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG")) return null;
    throw error;
  }
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return !(isAbsolute(way) || way.split(sep)[0] === "..");
}
