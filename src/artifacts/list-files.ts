import { lstatSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { hasCode } from "../platform/files.ts";
import { askGit } from "./ask-git.ts";

export interface ListedFile {
  /** From the folder, with `/` between its parts. */
  readonly name: string;
  readonly size: number;
  readonly modifiedMs: number;
}

export interface FileList {
  readonly files: readonly ListedFile[];
  /** Files beyond those that are looked at. */
  readonly beyond: boolean;
  readonly byGit: boolean;
}

const filesLookedAt = 10_000;

/** The plain files below a folder that git does not ignore, by name. No link is followed. */
export async function listFiles(folder: string): Promise<FileList> {
  const listed = await askGit(folder, "files");
  const names = listed === null ? walk(folder) : [...new Set(listed.split("\0"))].filter((name) => name !== "");
  const files = names.slice(0, filesLookedAt).flatMap((name) => fileAt(folder, name));
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { files, beyond: names.length > filesLookedAt, byGit: listed !== null };
}

/** Git lists files that are deleted, too, and folders that are repositories of their own. */
function fileAt(folder: string, name: string): ListedFile[] {
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
