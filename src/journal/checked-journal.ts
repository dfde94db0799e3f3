import { isRecord } from "../model/json.ts";
import type { RunFiles, RunTexts } from "../store/run-files.ts";
import type { Store } from "../store/store.ts";
import type { History } from "./milestones.ts";
import { createJournal, type FindTarget, type RunJournal } from "./run-journal.ts";
import type { Snapshot } from "./snapshot.ts";

/** Every new process reads and checks the whole of a journal with fewer commits. */
export const shortJournal = 256;

/**
 * The journal for servers, and for commands that do more than show: everything read is checked, and a forged snapshot of a short
 * journal is detected.
 */
export function createCheckedJournal(store: Store, files: RunTexts, findTarget?: FindTarget): RunJournal {
  return createJournal(store, files, { check: checkedSnapshot, shortJournal }, findTarget);
}

/** The past of runs, for the same callers. */
export function checkedHistory(store: Store, files: RunFiles): History {
  return { store, files, check: checkedState };
}

/** The snapshot of a short journal only shows how far the run had come, so its schema is not loaded. */
async function checkedSnapshot(value: unknown): Promise<Snapshot | null> {
  if (value === null || value === undefined) return null;
  return isWitness(value) ? value : checkedState(value);
}

async function checkedState(value: unknown): Promise<Snapshot | null> {
  const { checkSnapshot } = await import("./check-snapshot.ts");
  return checkSnapshot(value);
}

/** Whether it shows how far a short journal has come, which is all that it is used for. */
export function isWitness(value: unknown): value is Snapshot {
  if (!isRecord(value) || value.format !== 1 || !isRecord(value.run)) return false;
  const { version, head, repair, run } = value;
  const isShort = typeof version === "number" && Number.isInteger(version) && version > 0 && version < shortJournal;
  return isShort && typeof head === "string" && typeof repair === "string" && typeof run.runId === "string";
}
