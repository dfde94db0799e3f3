import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { hasCode, unreadable } from "../../platform/files.ts";
import { type AllowedLinks, readInside } from "../../platform/path-inside.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import type { HostFile } from "../contract/host.ts";

/** A file of a project or a home folder as it is now. */
export interface PresentFile {
  /** The real path. A link inside a home folder is followed, so that it stays a link. */
  readonly place: string;
  readonly bytes: Buffer;
  readonly mode: number;
}

/** Null if there is no such file. A link is refused: a cloned project could have it lead anywhere. */
export function readProjectFile(project: string, path: string): PresentFile | null {
  refuseLinked(project, path);
  return readPresent(project, path, "none", sizeLimits.projectHostFile);
}

/** The same in a home folder, where people keep links to their settings. One out of the home folder is refused. */
export function readHomeFile(home: string, path: string): PresentFile | null {
  refuseOutside(home, path);
  return readPresent(home, path, "inside", sizeLimits.hostFile);
}

function readPresent(root: string, path: string, links: AllowedLinks, most: number): PresentFile | null {
  try {
    const place = realpathSync(join(root, path));
    const bytes = readInside(root, join(root, path), most, links);
    return { place, bytes, mode: statSync(place).mode & 0o777 };
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    throw unreadable(path, cause);
  }
}

/** The file under the name that it has in this project. */
export function asNamedHere(project: string, file: HostFile): HostFile {
  return underEachName(file).find(({ path }) => readProjectFile(project, path) !== null) ?? file;
}

export function underEachName(file: HostFile): HostFile[] {
  return [file, ...(file.otherNames ?? []).map((path) => ({ ...file, path }))];
}

/** Throws if a part of the path is a link. */
export function refuseLinked(project: string, path: string): void {
  const link = linkIn(project, path);
  if (link !== null) throw refused(link, "it is a symbolic link, which is not followed in a project");
}

export function isLinked(project: string, path: string): boolean {
  return linkIn(project, path) !== null;
}

function linkIn(project: string, path: string): string | null {
  for (let part = path; part !== "."; part = dirname(part)) if (isLink(join(project, part))) return part;
  return null;
}

/** Throws if a part of the path is a link out of the home folder, or a broken link. */
export function refuseOutside(home: string, path: string): void {
  const top = realpathSync(home);
  for (let part = path; part !== "."; part = dirname(part)) {
    if (!isLink(join(home, part))) continue;
    const target = targetOf(join(home, part));
    if (target === null) throw refused(part, "it is a broken symbolic link");
    const way = relative(top, target);
    if (way.startsWith("..") || isAbsolute(way)) {
      throw refused(part, `it is a symbolic link out of the home folder, to ${target}`);
    }
  }
}

export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (cause) {
    // Behind a link to itself there is nothing; that link is found when its turn comes.
    if (hasCode(cause, "ENOENT", "ENOTDIR", "ELOOP")) return false;
    throw unreadable(path, cause);
  }
}

function targetOf(link: string): string | null {
  try {
    return realpathSync(link);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ELOOP", "ENOTDIR")) return null;
    throw error;
  }
}

function refused(file: string, problem: string): HoldfastError {
  return new HoldfastError("file-unwritable", { file, problem });
}
