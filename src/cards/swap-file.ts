import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { flushFolder } from "../platform/files.ts";

/**
 * Replaces `path` by a whole new file, unless `isUnchanged` says no right before: an agent or a person writes
 * whenever they like. False when nothing was replaced.
 */
export function swapFile(path: string, text: string, isUnchanged: () => boolean): boolean {
  const draft = join(dirname(path), `.draft-${randomUUID()}`);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFlushed(draft, text);
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

function writeFlushed(path: string, text: string): void {
  const file = openSync(path, "wx");
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
