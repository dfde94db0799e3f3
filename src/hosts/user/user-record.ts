import { join } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { isRecord, parseJson } from "../../model/json.ts";
import { readTextIfExists } from "../../platform/files.ts";
import { sizeLimits } from "../../platform/size-limits.ts";

/** What the setup for a user found and made. Paths are relative to the home folder. */
export interface UserRecord {
  readonly files: Readonly<Record<string, UserFile>>;
  /** The folders that had to be made. */
  readonly folders: readonly string[];
}

export interface UserFile {
  /** What is kept of the file, in base64; null if there was none. */
  readonly original: string | null;
  /** The hash of what was written, to tell whether the file was edited since. */
  readonly written: string;
}

const format = 1;

export function recordFile(folder: string): string {
  return join(folder, "installed.json");
}

export function readUserRecord(folder: string): UserRecord {
  const file = recordFile(folder);
  const text = readTextIfExists(file, sizeLimits.hostFile);
  if (text === null) return { files: {}, folders: [] };
  const value = parseJson(text);
  if (!isRecord(value) || !isRecord(value.files)) {
    throw new HoldfastError("state-broken", { file, problem: "it is not a record of what was installed" });
  }
  if (value.format !== format) throw new HoldfastError("format-newer", { file, format: Number(value.format) });
  const files = Object.entries(value.files).flatMap(([path, entry]) => {
    if (!isRecord(entry) || typeof entry.written !== "string") return [];
    const original = typeof entry.original === "string" ? entry.original : null;
    return [[path, { original, written: entry.written }]];
  });
  // Earlier versions did not keep the folders.
  const folders = Array.isArray(value.folders) ? value.folders.filter((folder) => typeof folder === "string") : [];
  return { files: Object.fromEntries(files), folders };
}

export function recordText({ files, folders }: UserRecord): string {
  return `${JSON.stringify({ format, files, folders }, null, 2)}\n`;
}
