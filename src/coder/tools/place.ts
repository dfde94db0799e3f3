import { lstatSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { bare } from "../../model/quote.ts";
import { realPath, stateFolder } from "../../platform/links.ts";
import { pathInside } from "../../platform/path-inside.ts";
import { deniedNames, fold } from "./denied-names.ts";
import { problem, type ToolReply, type ToolScene } from "./tool.ts";

/** A file or folder of the worktree, with all links resolved. */
export interface Place {
  readonly ok: true;
  readonly path: string;
  /** As seen from the worktree, with `/`; "." for the worktree itself. */
  readonly shown: string;
}

interface NoPlace {
  readonly ok: false;
  readonly reply: ToolReply;
}

const longest = 1_000;

/** What is to be done there: `enter` is for a folder, of which only the user can deny the name. */
type Purpose = "read" | "write" | "enter";

/** Finds what a path means, which need not exist. A path or a link that leads out of the worktree is refused. */
export function findPlace(scene: ToolScene, given: string, purpose: Purpose): Place | NoPlace {
  const { root } = scene;
  const name = bare(given);
  if (given.length > longest) return no(`the path is longer than ${longest} characters`);
  if (/\p{Cc}/u.test(given)) return no(`${name} has control characters in it`);
  const inside = given === root ? "." : given.startsWith(`${root}/`) ? given.slice(root.length + 1) : given;
  if (isAbsolute(inside) || inside.startsWith("~") || inside.split("/").includes(".."))
    return no(`${name} is outside the worktree; use a path relative to it`);
  const path = resolveLinks(resolve(root, inside));
  const shown = path === root ? "." : path === null ? null : pathInside(root, path);
  if (path === null || shown === null) return no(`${name} is behind a link that leads out of the worktree`);
  return refuseNames(scene, [inside, shown], purpose) ?? { ok: true, path, shown };
}

/** The path without links, of which the end need not exist; null for a link that leads nowhere. */
function resolveLinks(path: string): string | null {
  const real = realPath(path);
  if (real !== null) return real;
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const folder = isThere || dirname(path) === path ? null : resolveLinks(dirname(path));
  return folder === null ? null : join(folder, basename(path));
}

/** The name as it was written counts as well as the one that it leads to: a file system may ignore case. */
function refuseNames(scene: ToolScene, paths: readonly string[], purpose: Purpose): NoPlace | null {
  const deniedBy = deniedNames(scene.deniedNames);
  for (const path of paths) {
    const glob = deniedBy(path, purpose === "enter");
    if (glob !== null)
      return no(`${bare(path)} is denied: files named ${glob} may hold secrets; ask the user if you need it`);
    const parts = path.split("/").map(fold);
    if (parts.includes(".git")) return no(`${bare(path)} belongs to git; use git in the shell`);
    if (purpose === "write" && parts.includes(stateFolder))
      return no(`${bare(path)} belongs to Holdfast: workflows there run commands, so only the user changes them`);
  }
  return null;
}

function no(text: string): NoPlace {
  return { ok: false, reply: problem(text) };
}
