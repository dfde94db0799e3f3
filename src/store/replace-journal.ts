import { randomUUID } from "node:crypto";
import { linkSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { type AppendFile, appendFiles } from "../platform/append-file.ts";
import { flushFolder, hasCode, replaceFile } from "../platform/files.ts";
import type { JournalCopy } from "./journal-copy.ts";
import { journalPath, openToRead, writing } from "./journal-file.ts";

export interface Replaced {
  /** Where the journal that stood here is kept, beside the new one. */
  readonly kept: string | null;
}

/**
 * Puts a journal in the place of the one that was copied, or where there was none. Null when someone has written
 * there since: nothing has changed then, and whoever wants it looks again.
 */
export function replaceJournal(
  root: string,
  run: string,
  {
    copy,
    bytes,
    keepAs,
  }: { readonly copy: JournalCopy | null; readonly bytes: Buffer; readonly keepAs: string | null },
): Replaced | null {
  const path = journalPath(root, run);
  if (copy === null) return createJournal(path, bytes) ? { kept: null } : null;
  const file = openToRead(appendFiles, path);
  if (file === null) return null;
  try {
    return swap(path, file, copy, bytes, keepAs);
  } finally {
    file.close();
  }
}

function createJournal(path: string, bytes: Buffer): boolean {
  const draft = draftOf(path, bytes);
  try {
    writing(path, () => linkSync(draft, path));
    return true;
  } catch (error) {
    if (isHoldfastError(error, "file-unwritable") && hasCode(error.cause, "EEXIST")) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
    flushFolder(dirname(path));
    flushFolder(dirname(dirname(path)));
  }
}

/**
 * Nobody is locked out while the files change places, which takes no longer than a moment. Whoever appends afterwards
 * finds their file gone and decides anew; whoever appended just before shows in the old file, which then comes back.
 */
function swap(path: string, old: AppendFile, copy: JournalCopy, bytes: Buffer, keepAs: string | null): Replaced | null {
  const draft = draftOf(path, bytes);
  const aside = besides(path);
  try {
    writing(path, () => linkSync(path, aside));
    if (old.identity !== copy.identity || old.size() !== copy.size || old.sizeInPlace() === null) return null;
    writing(path, () => renameSync(draft, path));
    const overtaken = old.size() !== copy.size;
    if (overtaken && sizeOf(path) === bytes.length) {
      writing(path, () => renameSync(aside, path));
      return null;
    }
    // Both were written to within this moment: the new one stays, and nothing of the old one is lost.
    const kept = keepAs ?? (overtaken ? `journal.kept-${randomUUID().slice(0, 12)}.jsonl` : null);
    if (kept !== null) writing(path, () => renameSync(aside, join(dirname(path), kept)));
    return { kept };
  } finally {
    rmSync(draft, { force: true });
    rmSync(aside, { force: true });
    flushFolder(dirname(path));
  }
}

function sizeOf(path: string): number | null {
  const file = openToRead(appendFiles, path);
  try {
    return file?.size() ?? null;
  } finally {
    file?.close();
  }
}

/** The bytes as a file beside its future place, flushed. */
function draftOf(path: string, bytes: Buffer): string {
  const draft = besides(path);
  replaceFile(draft, bytes);
  return draft;
}

function besides(path: string): string {
  return join(dirname(path), `.aside-${randomUUID()}`);
}
