import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { quote } from "../../model/quote.ts";
import { hasCode } from "../../platform/files.ts";
import { execute } from "../../platform/processes.ts";
import { readOnlyEnv, safeGitOptions } from "../../platform/safe-git.ts";
import { deniedNames, fold } from "./denied-names.ts";
import type { Place } from "./place.ts";
import type { ToolScene } from "./tool.ts";
import { trustedProgram } from "./trusted-program.ts";

export interface Entry {
  /** As seen from the worktree, with `/`. */
  readonly path: string;
  /** A denied folder and a link are not entered. */
  readonly kind: "file" | "folder" | "link" | "other";
  readonly isDenied: boolean;
}

const longBlock = 20;

/**
 * What is in a folder, down to `depth` folders below it, each folder before what is in it. Left out are git's own folder,
 * node_modules and what git ignores, unless the folder itself is below that. Ends early if the scene's signal does.
 */
export async function* entriesBelow(scene: ToolScene, place: Place, depth: number): AsyncGenerator<Entry> {
  const ignored = await ignoredPaths(scene);
  const deniedBy = deniedNames(scene.deniedNames);
  const open = [...readFolder(place.path, place.shown, 1)].reverse();
  let since = performance.now();
  for (let next = open.pop(); next !== undefined && !scene.signal.aborted; next = open.pop()) {
    const { dirent, path, level } = next;
    const kind = kindOf(dirent);
    if (isLeftOut(dirent.name) || ignored.has(kind === "folder" ? `${path}/` : path)) continue;
    const isDenied = deniedBy(path, kind === "folder") !== null;
    yield { path, kind, isDenied };
    if (kind === "folder" && !isDenied && level < depth)
      open.push(...[...readFolder(join(scene.root, path), path, level + 1)].reverse());
    if (performance.now() - since > longBlock) {
      await setImmediate();
      since = performance.now();
    }
  }
}

interface Found {
  readonly dirent: Dirent;
  readonly path: string;
  readonly level: number;
}

/** Sorted by name. A folder that cannot be read, or has just become something else, has nothing in it. */
function readFolder(folder: string, shown: string, level: number): readonly Found[] {
  try {
    const found = readdirSync(folder, { withFileTypes: true });
    found.sort((a, b) => (a.name < b.name ? -1 : 1));
    return found.map((dirent) => ({ dirent, path: shown === "." ? dirent.name : `${shown}/${dirent.name}`, level }));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP")) return [];
    throw error;
  }
}

function kindOf(dirent: Dirent): Entry["kind"] {
  if (dirent.isSymbolicLink()) return "link";
  if (dirent.isDirectory()) return "folder";
  return dirent.isFile() ? "file" : "other";
}

function isLeftOut(name: string): boolean {
  return name === "node_modules" || fold(name) === ".git";
}

const gitQuestion = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
const longestAnswer = 16_000_000;

/** What git ignores in the worktree; a folder ends with `/`, and what is in it is not named. Empty if git cannot tell. */
async function ignoredPaths(scene: ToolScene): Promise<ReadonlySet<string>> {
  const git = trustedProgram(scene, "git");
  if (git === null) return new Set();
  const ended = await execute({
    argv: [git, "--no-pager", ...safeGitOptions, ...gitQuestion],
    cwd: scene.root,
    env: readOnlyEnv({ PATH: scene.env.PATH, HOME: scene.env.HOME }),
    timeoutMs: 10_000,
    tailBytes: 0,
    printedBytes: longestAnswer,
    signal: scene.signal,
  });
  const isAnswer = ended.type === "exited" && ended.exitCode === 0;
  const printed = isAnswer ? (ended.printed?.toString("utf8") ?? "") : "";
  return new Set(printed.split("\0").filter((path) => path !== ""));
}

/** A path for a reply, on one line: a name must not look like two. */
export function wordPath(path: string): string {
  return /[\p{C}\p{Zl}\p{Zp}]/u.test(path) ? quote(path) : path;
}
