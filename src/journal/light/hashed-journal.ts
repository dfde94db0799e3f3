import type { RunTexts } from "../../store/run-files.ts";
import type { Store } from "../../store/store.ts";
import { isWitness, shortJournal } from "../checked-journal.ts";
import { createJournal, type RunJournal } from "../run-journal.ts";
import type { Snapshot } from "../snapshot.ts";
import { uncheckedSnapshot } from "./unchecked-readers.ts";

/**
 * The journal for commands that only show: as the checked one, but checked by hashes alone. It throws where a snapshot is
 * missing or far behind, because one that it wrote would pass for checked.
 */
export function createHashedJournal(store: Store, files: RunTexts): RunJournal {
  const policy = { check: hashedSnapshot, shortJournal };
  return createJournal(store, { ...files, write: refuse, remove: refuse }, policy);
}

function refuse(): never {
  throw new Error("what was not checked is not written");
}

function hashedSnapshot(value: unknown): Snapshot | null {
  return isWitness(value) ? value : uncheckedSnapshot(value);
}
