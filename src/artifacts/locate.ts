import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { fillPath } from "../model/path-text.ts";
import { hasCode } from "../platform/files.ts";
import { type Absence, refused } from "./loaded.ts";
import type { ArtifactWorld } from "./world.ts";

/** A place on the disk that may be read, as it really is. */
export interface Place {
  readonly status: "there";
  readonly real: string;
  /** As it is told: from the project's root, or as it is written where it is outside. */
  readonly shown: string;
}

export type PathWorld = Pick<ArtifactWorld, "projectRoot" | "values" | "allowOutside">;

/** Follows a written path to where it really leads, which must be in the project or in what is allowed besides. */
export function locate(written: string, world: PathWorld): Place | Absence {
  const filled = fillPath(written, { ...world.values, project_root: world.projectRoot });
  if (!filled.ok) {
    const names = filled.unset.map((name) => `{${name}}`).join(", ");
    return { status: "unavailable", problem: `${written} needs ${names}, which this run does not have yet` };
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\0-\x1F\x7F]/.test(filled.path)) return refused("the path has control characters");
  const path = resolve(world.projectRoot, filled.path);
  const shown = shownPath(path, written, world.projectRoot);
  const real = realPath(path);
  if (typeof real !== "string") return real.absent ? missing(path, shown, world) : refused(real.problem, shown);
  return isAllowed(real, world) ? { status: "there", real, shown } : outside(shown);
}

/** Whether something is there is only told of places that may be read. */
function missing(path: string, shown: string, world: PathWorld): Absence {
  const isNamed = world.allowOutside.some((root) => !isOut(relative(resolve(world.projectRoot, root), path)));
  return isNamed || isAllowed(nearestReal(dirname(path)), world)
    ? { status: "missing", path: shown, problem: `there is no ${shown}` }
    : outside(shown);
}

function nearestReal(folder: string): string {
  const real = realPath(folder);
  if (typeof real === "string") return real;
  return folder === dirname(folder) ? folder : nearestReal(dirname(folder));
}

const allowing = "allow_outside in your own ~/.config/holdfast/config.yaml can allow it";

function outside(shown: string): Absence {
  return refused(`it is outside the project; ${allowing}`, shown);
}

function shownPath(path: string, written: string, root: string): string {
  const way = relative(root, path);
  if (way === "") return ".";
  return isOut(way) ? written : way.split(sep).join("/");
}

function isAllowed(real: string, { projectRoot, allowOutside }: PathWorld): boolean {
  return [projectRoot, ...allowOutside.map((path) => resolve(projectRoot, path))].some((root) => {
    const realRoot = realPath(root);
    return typeof realRoot === "string" && !isOut(relative(realRoot, real));
  });
}

function isOut(way: string): boolean {
  return isAbsolute(way) || way.split(sep)[0] === "..";
}

function realPath(path: string): string | { readonly absent: boolean; readonly problem: string } {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return { absent: true, problem: "there is no such file" };
    if (hasCode(error, "EACCES", "EPERM")) return { absent: false, problem: "access is denied" };
    if (hasCode(error, "ELOOP")) return { absent: false, problem: "its symbolic links lead in a circle" };
    if (hasCode(error, "ENAMETOOLONG")) return { absent: false, problem: "its name is too long" };
    throw error;
  }
}
