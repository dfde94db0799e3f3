import { randomUUID } from "node:crypto";
import { linkSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { type AppendFile, appendFiles } from "../platform/append-file.ts";
import { flushFolder, hasCode, replaceFile } from "../platform/files.ts";
import type { JournalCopy } from "./journal-copy.ts";
import { journalPath, openToRead, refuseCopy, writing } from "./journal-file.ts";

export interface Replaced {
  /** The file that keeps the previous journal, next to the new one. */
  readonly kept: string | null;
}

/**
 * Replaces the journal that was copied, or creates one. Returns null, without changing anything, if someone has written
 * to the journal since it was copied; the caller must read it again.
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
  refuseCopy(root, run);
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
 * The swap is lock-free. A writer that appends afterwards finds its file gone and decides again. A writer that appended
 * just before is detected in the old file, which is then restored.
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
    // Both files were written to during the swap: keep the new one; the old one is kept aside, so nothing is lost.
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

/** Writes the bytes to a flushed draft file in the target's folder. */
function draftOf(path: string, bytes: Buffer): string {
  const draft = besides(path);
  replaceFile(draft, bytes);
  return draft;
}

function besides(path: string): string {
  return join(dirname(path), `.aside-${randomUUID()}`);
}
