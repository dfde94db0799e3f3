import { appendFileSync, existsSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { findRoots, stateFolder } from "../../platform/roots.ts";

const longestLog = 512 * 1024;

/** Leaves a word for whoever looks why a hook did less than it should. Where even that fails, nobody is to notice. */
export function logTrouble(folder: string, trouble: unknown): void {
  try {
    const state = join(findRoots(folder).stateRoot, stateFolder);
    if (!existsSync(state)) return;
    const path = join(state, "hooks.log");
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > longestLog) truncateSync(path);
    const text = trouble instanceof Error ? (trouble.stack ?? trouble.message) : String(trouble);
    appendFileSync(path, `${new Date().toISOString()} ${text.slice(0, 4_000)}\n`);
  } catch {
    // The log is the last resort; there is nowhere else to say that it failed.
  }
}
