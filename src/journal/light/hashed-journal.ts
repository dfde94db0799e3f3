import type { RunTexts } from "../../store/run-files.ts";
import type { Store } from "../../store/store.ts";
import { isWitness, shortJournal } from "../checked-journal.ts";
import { createJournal, type FindTarget, type RunJournal } from "../run-journal.ts";
import type { Snapshot } from "../snapshot.ts";
import { uncheckedSnapshot } from "./unchecked-readers.ts";

/** The journal for commands that only show: as the checked one, but hashes are all that snapshots are checked by. */
export function createHashedJournal(store: Store, files: RunTexts, findTarget?: FindTarget): RunJournal {
  return createJournal(store, files, { check: hashedSnapshot, shortJournal }, findTarget);
}

function hashedSnapshot(value: unknown): Snapshot | null {
  return isWitness(value) ? value : uncheckedSnapshot(value);
}
