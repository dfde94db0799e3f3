import { renameSync, rmSync, type Stats, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beginsWith, makeFolders } from "../../../platform/files.ts";
import { hasSettled } from "../../../platform/stamp.ts";

// That all runs of a project have ended is remembered as the stamp that their folder had when it was found out.

/** Whether it is remembered that all runs had ended at this stamp of their folder. */
export function isRemembered(state: string, runs: Stats): boolean {
  return hasSettled(runs.ctimeMs) && beginsWith(memoryIn(state), stampText(runs));
}

/** Remembers that all runs had ended, if another change could no longer leave the same stamp. */
export function remember(state: string, runs: Stats): void {
  if (!hasSettled(runs.ctimeMs)) return;
  try {
    const memory = memoryIn(state);
    const draft = `${memory}-${process.pid}`;
    makeFolders(dirname(memory));
    // What a killed process left is replaced; a link is not written through.
    rmSync(draft, { force: true });
    writeFileSync(draft, stampText(runs), { flag: "wx" });
    // A rename replaces a link; a write would go through it.
    renameSync(draft, memory);
  } catch {
    // Without the memory the next event takes longer.
  }
}

/**
 * Makes the memory out of date. Called when a run is found to be live: the memory can deny that if the run's files were
 * put back in place, for example from a backup. Deleting it would not be enough, as a hook may be about to write it.
 */
export function forget(state: string): void {
  try {
    const runs = join(state, "runs");
    const now = new Date();
    if (beginsWith(memoryIn(state), stampText(statSync(runs)))) utimesSync(runs, now, now);
  } catch (error) {
    // Where nothing may be written, nothing is remembered.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

function memoryIn(state: string): string {
  return join(state, "cache", "ended-runs");
}

function stampText({ dev, ino, mtimeMs, ctimeMs }: Stats): string {
  return `${dev} ${ino} ${mtimeMs} ${ctimeMs}\n`;
}
