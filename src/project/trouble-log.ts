import { lstatSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { appendLine } from "../platform/files.ts";
import { stateFolder } from "../platform/links.ts";
import { findRoots } from "../platform/roots.ts";

const longestLog = 512 * 1024;

/** Logs why a hook did less than it should. A failure to log is ignored. */
export function logTrouble(folder: string, trouble: unknown): void {
  try {
    const state = join(findRoots(folder).stateRoot, stateFolder);
    // A cloned project could contain a link to the user's own files.
    if (!lstatSync(state).isDirectory()) return;
    const file = join(state, "hooks.log");
    const there = lstatSync(file, { throwIfNoEntry: false });
    if (there?.isFile() && there.size > longestLog) truncateSync(file);
    const text = trouble instanceof Error ? (trouble.stack ?? trouble.message) : String(trouble);
    appendLine(file, `${new Date().toISOString()} ${text.slice(0, 4_000)}`, { durability: "quick" });
  } catch {
    // There is nowhere else to report that logging failed.
  }
}
