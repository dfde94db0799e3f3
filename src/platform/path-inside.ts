import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { hasCode, readInPlace, readRegularFile } from "./files.ts";
import { refuseLinkedState, refuseLinksBelow, systemError } from "./links.ts";

/**
 * An absolute path as seen from `root`, with `/`; null if it is not below it. It may be written through a link that
 * leads to the root, and need not exist.
 */
export function pathInside(root: string, path: string): string | null {
  return wayFrom(root, path) ?? wayFrom(resolveLinks(root), resolveLinks(path));
}

/** Which links may be on the way to a file of a project: none below its root, or those that stay inside. */
export type AllowedLinks = "none" | "inside";

/**
 * Reads a plain file that a project contains or names. Without waiting, and at most `most` bytes: a longer file is an
 * error. Throws system errors as they are, ELOOP for a link and EOUTSIDE for a path that leads out of `root`.
 */
export function readInside(root: string, path: string, most: number, links: AllowedLinks): Buffer {
  refuseLinkedState(path + sep);
  const top = realpathSync.native(root);
  const file = links === "none" ? join(top, relative(root, path)) : realpathSync.native(path);
  if (wayFrom(top, file) === null) throw systemError("EOUTSIDE", "open");
  if (links === "none") refuseLinksBelow(top, file + sep);
  return readInPlace(file, most);
}

/** Reads a file that a person named: from anywhere, but through a link of the project only if that stays inside. */
export function readNamed(root: string, path: string, most: number): Buffer {
  return isPartOf(root, path) ? readInside(root, path, most, "inside") : readRegularFile(path, most);
}

/** Whether a file of the project is behind a link that leads elsewhere. */
export function leadsOut(root: string, path: string): boolean {
  return isPartOf(root, path) && pathInside(root, resolveLinks(path)) === null;
}

/** Whether the way to a file goes through the project, wherever links lead from there. */
function isPartOf(root: string, path: string): boolean {
  const top = resolveLinks(root);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const real = resolveLinks(folder);
    if (real === top || wayFrom(top, real) !== null) return true;
    if (dirname(folder) === folder) return false;
  }
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
