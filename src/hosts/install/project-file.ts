import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { hasCode, readRegularFile, unreadable } from "../../platform/files.ts";
import type { HostFile } from "../contract/host.ts";

/** A project file as it is now. */
export interface PresentFile {
  /** The real path. A link inside the project is followed, so that it stays a link. */
  readonly place: string;
  readonly bytes: Buffer;
  readonly mode: number;
}

/** Null if there is no such file. A link out of the project is refused. */
export function readProjectFile(project: string, path: string): PresentFile | null {
  refuseOutside(project, path);
  const file = join(project, path);
  try {
    const place = realpathSync(file);
    return { place, bytes: readRegularFile(place), mode: statSync(place).mode & 0o777 };
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

/** Throws if a part of the path is a link out of the project, or a broken link. */
export function refuseOutside(project: string, path: string): void {
  const top = realpathSync(project);
  for (let part = path; part !== "."; part = dirname(part)) {
    if (!lstatSync(join(project, part), { throwIfNoEntry: false })?.isSymbolicLink()) continue;
    const target = targetOf(join(project, part));
    if (target === null) throw refused(part, "it is a broken symbolic link");
    const way = relative(top, target);
    if (way.startsWith("..") || isAbsolute(way)) {
      throw refused(part, `it is a symbolic link out of the project, to ${target}`);
    }
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
