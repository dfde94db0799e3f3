import { lstatSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { hasCode } from "../platform/files.ts";
import { askGit } from "./ask-git.ts";

export interface ListedFile {
  /** Relative to the folder, with `/` as separator. */
  readonly name: string;
  readonly size: number;
  readonly modifiedMs: number;
}

export interface FileList {
  readonly files: readonly ListedFile[];
  /** Whether there are more files than the limit. */
  readonly truncated: boolean;
  readonly byGit: boolean;
}

const filesLookedAt = 10_000;

/** The regular files below a folder that git does not ignore, sorted by name. Links are not followed. */
export async function listFiles(folder: string): Promise<FileList> {
  const listed = await askGit(folder, "files");
  const names = listed === null ? walk(folder) : [...new Set(listed.split("\0"))].filter((name) => name !== "");
  const files = names.slice(0, filesLookedAt).flatMap((name) => fileAt(folder, name));
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { files, truncated: names.length > filesLookedAt, byGit: listed !== null };
}

/** Git also lists deleted files and nested repositories; those are left out, and so is what an index names elsewhere. */
function fileAt(folder: string, name: string): ListedFile[] {
  if (name.split("/").includes("..")) return [];
  try {
    const found = lstatSync(join(folder, name));
    return found.isFile() ? [{ name, size: found.size, modifiedMs: found.mtimeMs }] : [];
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return [];
    throw error;
  }
}

function walk(top: string): string[] {
  const names: string[] = [];
  const open = [top];
  for (let folder = open.pop(); folder !== undefined && names.length <= filesLookedAt; folder = open.pop()) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== ".git") open.push(path);
      else if (entry.isFile()) names.push(relative(top, path).split(sep).join("/"));
    }
  }
  return names;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) return [];
    throw error;
  }
}
