import { existsSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { isRecord } from "../../model/json.ts";
import { hasCode, readRegularFile, replaceFile, sha256Hex, unreadable, unwritable } from "../../platform/files.ts";
import { trackedBelow } from "../../platform/git-folder.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import { isLink } from "./project-file.ts";

/** Where the previous files are kept, relative to the project root. Not committed: it belongs to one working copy. */
export const recordFolder = ".holdfast/installed";

/** What `init` found and wrote, by file. */
export type InstalledRecord = Readonly<Record<string, InstalledFile>>;

export interface InstalledFile {
  /** Whether the file existed before; its bytes are kept next to the record. */
  readonly existed: boolean;
  /** The hash of what was written, to tell whether the file was edited since. */
  readonly written: string;
  /** The extras that were put into it. */
  readonly added?: readonly string[];
}

const format = 1;
const recordFile = (project: string) => unlinked(project, join(recordFolder, "record.json"));
const originalFile = (project: string, path: string) => unlinked(project, join(recordFolder, "originals", path));

/** A cloned project could have a link here, and lead us to the user's own files. */
function unlinked(project: string, path: string): string {
  for (let part = path; part !== "."; part = dirname(part)) {
    const file = join(project, part);
    if (!isLink(file)) continue;
    throw new HoldfastError("state-broken", { file, problem: "it is a symbolic link; state is not stored behind one" });
  }
  return join(project, path);
}

export function hashOf(bytes: Uint8Array): string {
  return sha256Hex(bytes);
}

/** Whether the record came with the repository. Then it tells nothing about what was installed here. */
export function isRecordTracked(project: string): boolean {
  return isTracked(project, "record.json");
}

export function readRecord(project: string): InstalledRecord {
  const file = recordFile(project);
  const text = isRecordTracked(project) ? null : read(file);
  if (text === null) return {};
  const value = parsed(text.toString("utf8"));
  if (!isRecord(value) || !isRecord(value.files)) {
    throw new HoldfastError("state-broken", { file, problem: "it is not a record of what was installed" });
  }
  if (value.format !== format) throw new HoldfastError("format-newer", { file, format: Number(value.format) });
  const entries = Object.entries(value.files).filter(([, entry]) => isEntry(entry));
  return Object.fromEntries(entries) as InstalledRecord;
}

export function writeRecord(project: string, files: InstalledRecord): void {
  if (Object.keys(files).length === 0) removeRecord(join(project, recordFolder));
  else replaceFile(recordFile(project), `${JSON.stringify({ format, files }, null, 2)}\n`);
}

function removeRecord(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (cause) {
    throw unwritable(folder, cause);
  }
}

/** The previous bytes of a file; null if there was no file, or if they are lost. */
export function readOriginal(project: string, record: InstalledRecord, path: string): Buffer | null {
  if (record[path]?.existed !== true || isTracked(project, `originals/${path}`)) return null;
  return read(originalFile(project, path));
}

export function keepOriginal(project: string, path: string, bytes: Uint8Array): void {
  replaceFile(originalFile(project, path), bytes);
}

function isTracked(project: string, path: string): boolean {
  const folder = unlinked(project, recordFolder);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return false;
  try {
    return trackedBelow(folder)(path);
  } catch (error) {
    // If git's files cannot be read, nobody knows where the record came from.
    if (error instanceof Error && "code" in error) return true;
    throw error;
  }
}

function isEntry(entry: unknown): entry is InstalledFile {
  return isRecord(entry) && typeof entry.existed === "boolean" && typeof entry.written === "string";
}

function read(file: string): Buffer | null {
  try {
    return readRegularFile(file, sizeLimits.hostFile);
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return null;
    throw unreadable(file, cause);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
