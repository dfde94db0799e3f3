import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { hasCode } from "../platform/files.ts";

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
