import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { findRoots, stateFolder } from "../platform/roots.ts";

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
const longestLog = 512 * 1024;

/** Logs why a hook did less than it should. A failure to log is ignored. */
export function logTrouble(folder: string, trouble: unknown): void {
  try {
    const state = join(findRoots(folder).stateRoot, stateFolder);
    // A cloned project could contain a link to the user's own files.
    if (!lstatSync(state).isDirectory()) return;
    // And a pipe would block the hook.
    const flags = O_WRONLY | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
    const file = openSync(join(state, "hooks.log"), flags, 0o644);
    try {
      if (fstatSync(file).size > longestLog) ftruncateSync(file);
      const text = trouble instanceof Error ? (trouble.stack ?? trouble.message) : String(trouble);
      writeSync(file, `${new Date().toISOString()} ${text.slice(0, 4_000)}\n`);
    } finally {
      closeSync(file);
    }
  } catch {
    // There is nowhere else to report that logging failed.
  }
}
