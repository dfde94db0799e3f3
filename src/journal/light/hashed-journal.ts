import type { RunFiles, RunTexts } from "../../store/run-files.ts";
import type { Store } from "../../store/store.ts";
import { isWitness, shortJournal } from "../checked-journal.ts";
import type { History } from "../milestones.ts";
import { createJournal, type RunJournal } from "../run-journal.ts";
import type { Snapshot } from "../snapshot.ts";
import { uncheckedSnapshot } from "./unchecked-readers.ts";

/**
 * The journal for commands that only show: as the checked one, but checked by hashes alone. It throws where a snapshot is
 * missing or far behind, because one that it wrote would pass for checked.
 */
export function createHashedJournal(store: Store, files: RunTexts): RunJournal {
  const policy = { check: hashedSnapshot, shortJournal };
  return createJournal(store, { ...files, ...readOnly }, policy);
}

/** The past of runs, for the same commands. It throws where a milestone would have to be written or removed. */
export function hashedHistory(store: Store, files: RunFiles): History {
  return { store, files: { ...files, ...readOnly }, check: uncheckedSnapshot };
}

const readOnly = { write: refuse, remove: refuse } as const;

function refuse(): never {
  throw new Error("what was not checked is not written");
}

function hashedSnapshot(value: unknown): Snapshot | null {
  return isWitness(value) ? value : uncheckedSnapshot(value);
}
