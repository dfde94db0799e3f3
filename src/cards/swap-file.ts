import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Durability, flushFolder, hasCode, readInPlace } from "../platform/files.ts";

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
    if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true });
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

/** Creates the file with its final mode at most; chmod then restores the bits that the umask removed. */
function writeDraft(path: string, text: string, mode: number | null, durability: Durability): void {
  writeFileSync(path, text, { flag: "wx", flush: durability === "flushed", ...(mode === null ? {} : { mode }) });
  if (mode !== null) chmodSync(path, mode);
}

const pauseMs = 10;
/** A holder needs a few milliseconds. After this many tries, about a second, it must have died: its lock is removed. */
const patience = 100;

/** Lets only one Holdfast process at a time read, merge and write. */
export function withLock<T>(path: string, act: () => T): T {
  const token = randomUUID();
  take(path, token);
  try {
    return act();
  } finally {
    release(path, token);
  }
}

function take(path: string, token: string): void {
  for (let tries = 1; ; tries++) {
    try {
      writeFileSync(path, token, { flag: "wx" });
      return;
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    }
    if (tries % patience === 0) rmSync(path, { force: true });
    else pause();
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
}

/** Another process may have taken the lock over in the meantime. */
function release(path: string, token: string): void {
  try {
    if (readInPlace(path, token.length).toString("utf8") === token) unlinkSync(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "E2BIG")) throw error;
  }
}
