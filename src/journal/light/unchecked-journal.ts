import { appendFiles } from "../../platform/append-file.ts";
import { createJournalStore } from "../../store/journal-store.ts";
import type { RunTexts } from "../../store/run-files.ts";
import { createJournal, type RunJournal } from "../run-journal.ts";
import { uncheckedEvents, uncheckedSnapshot } from "./unchecked-readers.ts";

// Writes journals, and reads those that are ahead of their snapshot. Loaded only when needed.

export function openUncheckedJournal(runs: string, files: RunTexts): RunJournal {
  const store = createJournalStore(runs, uncheckedEvents, appendFiles);
  return createJournal(store, files, { check: uncheckedSnapshot, shortJournal: 0 });
}
