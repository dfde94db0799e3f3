import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { hasCode } from "../platform/files.ts";

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
    if (readFileSync(path, "utf8") === token) unlinkSync(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}
