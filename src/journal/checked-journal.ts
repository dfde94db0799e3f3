import type { RunTexts } from "../store/run-texts.ts";
import type { Store } from "../store/store.ts";
import { checkedSnapshot } from "./checked-snapshot.ts";
import { createJournal, type RunJournal } from "./run-journal.ts";

/** Runs as commands and servers see them: what is read is checked, and a forged snapshot of a short journal is found out. */
export function createCheckedJournal(store: Store, files: RunTexts): RunJournal {
  return createJournal(store, files, { check: checkedSnapshot, shortJournal: 256 });
}
