import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { hasCode } from "./files.ts";

/**
 * An absolute path as seen from `root`, with `/`; null if it is not below it. It may be written through a link that
 * leads to the root, and need not exist.
 */
export function pathInside(root: string, path: string): string | null {
  return wayFrom(root, path) ?? wayFrom(resolveLinks(root), resolveLinks(path));
}

/** A folder below `root`; null if it is missing or a link leads to it: a cloned project must not choose what is read elsewhere. */
export function realFolderInside(root: string, folder: string): string | null {
  try {
    const project = realpathSync(root);
    const path = resolve(project, folder);
    return path.startsWith(project + sep) && realpathSync(path) === path ? path : null;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES")) return null;
    throw error;
  }
}

function wayFrom(root: string, path: string): string | null {
  const way = relative(root, path);
  return way === "" || isAbsolute(way) || way.split(sep)[0] === ".." ? null : way.split(sep).join("/");
}

/** Resolves the links in the part of the path that exists. */
function resolveLinks(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"))
      throw error;
    const folder = dirname(path);
    return folder === path ? path : join(resolveLinks(folder), basename(path));
  }
}
