import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { compileGlob } from "../../model/pattern/glob.ts";
import { beginning, follow, isMatched, type Pattern, type Reached } from "../../model/pattern/pattern.ts";
import { hasCode } from "../../platform/files.ts";

/** More names than a project has, but few enough that a wide glob ends. */
const mostNames = 500_000;

/**
 * The files of a project that a glob finds, one after the other. A folder in which nothing can match is not
 * looked into, and links are not followed. Returns why the glob could not be looked for everywhere, or null.
 */
export async function* matchFiles(root: string, glob: string): AsyncGenerator<string, string | null> {
  const compiled = compileGlob(glob);
  if (!compiled.ok) return `the pattern ${compiled.problem}`;
  const { pattern } = compiled;
  const isIgnored = ignoring(glob);
  const open: Folder[] = [{ path: "", reached: beginning(pattern) }];
  let names = 0;
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = await entriesOf(join(root, folder.path));
    names += entries.length;
    if (names > mostNames) return `no file matches among the first ${mostNames.toLocaleString("en-US")} of the project`;
    for (const entry of entries) {
      const found = lookAt(pattern, folder, entry, isIgnored);
      if (typeof found === "string") yield found.slice(1);
      else if (found !== null) open.push(found);
    }
  }
  return null;
}

/** A file that matches, or a folder in which something may. */
function lookAt(
  pattern: Pattern,
  { path: above, reached }: Folder,
  entry: Dirent,
  isIgnored: (path: string) => boolean,
) {
  const path = `${above}/${entry.name}`;
  const isFolder = entry.isDirectory() && !isIgnored(path);
  const next = follow(pattern, reached, isFolder ? `${entry.name}/` : entry.name);
  if (isFolder) return next.length === 0 ? null : { path, reached: next };
  return entry.isFile() && isMatched(pattern, next) ? path : null;
}

interface Folder {
  readonly path: string;
  readonly reached: Reached;
}

/** A wide glob such as `**` would always match files in these folders, whatever the step did. */
const ignoredFolders = [".git", ".holdfast/runs", ".holdfast/sessions", "untracked/workflow-state", "node_modules"];

function ignoring(glob: string): (path: string) => boolean {
  const ignored = ignoredFolders.filter((folder) => !glob.includes(folder));
  return (path) => ignored.some((folder) => path.endsWith(`/${folder}`));
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG")) return [];
    throw error;
  }
}
