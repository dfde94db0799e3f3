import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { findRoots, stateFolder } from "../platform/roots.ts";

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
const longestLog = 512 * 1024;

/** Leaves a word for whoever looks why a hook did less than it should. Where even that fails, nobody is to notice. */
export function logTrouble(folder: string, trouble: unknown): void {
  try {
    const state = join(findRoots(folder).stateRoot, stateFolder);
    // A project could bring a link along that leads to files of the user's.
    if (!lstatSync(state).isDirectory()) return;
    const file = openSync(join(state, "hooks.log"), O_WRONLY | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0), 0o644);
    try {
      if (fstatSync(file).size > longestLog) ftruncateSync(file);
      const text = trouble instanceof Error ? (trouble.stack ?? trouble.message) : String(trouble);
      writeSync(file, `${new Date().toISOString()} ${text.slice(0, 4_000)}\n`);
    } finally {
      closeSync(file);
    }
  } catch {
    // The log is the last resort; there is nowhere else to say that it failed.
  }
}
