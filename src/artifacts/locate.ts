import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { fillPath } from "../model/path-text.ts";
import { hasCode } from "../platform/files.ts";
import type { ArtifactContext } from "./artifact-context.ts";
import { type Absence, refused } from "./loaded.ts";

/** An existing path that may be read. */
export interface Place {
  readonly status: "there";
  readonly real: string;
  /** The path to display: relative to the project, or as it was written if it is outside. */
  readonly shown: string;
}

export type PathContext = Pick<ArtifactContext, "projectRoot" | "values" | "allowOutside">;

/** Resolves placeholders and links in a path, which must lead into the project or a folder in `allowOutside`. */
export function locate(written: string, context: PathContext): Place | Absence {
  const filled = fillPath(written, { ...context.values, project_root: context.projectRoot });
  if (!filled.ok) {
    const names = filled.unset.map((name) => `{${name}}`).join(", ");
    return { status: "unavailable", problem: `${written} needs ${names}, which is not set in this run yet` };
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\0-\x1F\x7F]/.test(filled.path)) return refused("the path has control characters");
  const path = resolve(context.projectRoot, filled.path);
  const shown = shownPath(path, written, context.projectRoot);
  const real = realPath(path);
  if (typeof real !== "string") return real.absent ? missing(path, shown, context) : refused(real.problem, shown);
  return isAllowed(real, context) ? { status: "there", real, shown } : outside(shown);
}

/** Says that a file is missing only where reading is allowed; elsewhere that would reveal what exists. */
function missing(path: string, shown: string, context: PathContext): Absence {
  const isNamed = context.allowOutside.some((root) => !isOut(relative(resolve(context.projectRoot, root), path)));
  return isNamed || isAllowed(nearestReal(dirname(path)), context)
    ? { status: "missing", path: shown, problem: `there is no ${shown}` }
    : outside(shown);
}

function nearestReal(folder: string): string {
  const real = realPath(folder);
  if (typeof real === "string") return real;
  return folder === dirname(folder) ? folder : nearestReal(dirname(folder));
}

const allowing = "to allow it, add it to allow_outside in ~/.config/holdfast/config.yaml";

function outside(shown: string): Absence {
  return refused(`it is outside the project; ${allowing}`, shown);
}

function shownPath(path: string, written: string, root: string): string {
  const way = relative(root, path);
  if (way === "") return ".";
  return isOut(way) ? written : way.split(sep).join("/");
}

function isAllowed(real: string, { projectRoot, allowOutside }: PathContext): boolean {
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
    if (hasCode(error, "ELOOP")) return { absent: false, problem: "its symbolic links form a loop" };
    if (hasCode(error, "ENAMETOOLONG")) return { absent: false, problem: "its name is too long" };
    throw error;
  }
}
