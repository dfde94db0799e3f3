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
import { type Durability, flushFolder } from "../platform/files.ts";

/**
 * Replaces `path` atomically and keeps its mode. Checks `isUnchanged` right before, because an agent or a person may
 * write at any time. Returns false if nothing was replaced.
 */
export function swapFile(
  path: string,
  text: string,
  isUnchanged: () => boolean,
  durability: Durability = "flushed",
): boolean {
  const draft = join(dirname(path), `.draft-${randomUUID()}`);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeDraft(draft, text, modeOf(path), durability);
    const swap = isUnchanged();
    if (swap) renameSync(draft, path);
    else rmSync(draft);
    if (durability === "flushed") flushFolder(dirname(path));
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

/** Creates the file with its final mode at most; fchmod then restores the bits that the umask removed. */
function writeDraft(path: string, text: string, mode: number | null, durability: Durability): void {
  const file = openSync(path, "wx", mode ?? undefined);
  try {
    if (mode !== null) fchmodSync(file, mode);
    writeFileSync(file, text);
    if (durability === "flushed") fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
