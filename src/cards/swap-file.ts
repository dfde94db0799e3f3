import { randomUUID } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { flushFolder } from "../platform/files.ts";

/**
 * Replaces `path` by a whole new file, unless `isUnchanged` says no right before: an agent or a person writes
 * whenever they like. Who may read and write it stays as it is. False when nothing was replaced.
 */
export function swapFile(path: string, text: string, isUnchanged: () => boolean): boolean {
  const draft = join(dirname(path), `.draft-${randomUUID()}`);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFlushed(draft, text, modeOf(path));
    const swap = isUnchanged();
    if (swap) renameSync(draft, path);
    else rmSync(draft);
    flushFolder(dirname(path));
    return swap;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function modeOf(path: string): number | null {
  const there = lstatSync(path, { throwIfNoEntry: false });
  return there?.isFile() ? there.mode & 0o777 : null;
}

/** Opened with no more rights than it ends with; the user's mask takes some away that a file had all the same. */
function writeFlushed(path: string, text: string, mode: number | null): void {
  const file = openSync(path, "wx", mode ?? undefined);
  try {
    if (mode !== null) fchmodSync(file, mode);
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
