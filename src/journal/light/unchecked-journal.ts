import { appendFiles } from "../../platform/append-file.ts";
import { createJournalStore } from "../../store/journal-store.ts";
import type { RunTexts } from "../../store/run-texts.ts";
import { createJournal, type RunJournal } from "../run-journal.ts";
import { recordedEvents, recordedSnapshot } from "./unchecked-readers.ts";

// What writes to journals, and reads those that have gone on since their snapshot: loaded only when it is needed.

export function openJournal(runs: string, files: RunTexts): RunJournal {
  const store = createJournalStore(runs, recordedEvents, appendFiles);
  return createJournal(store, files, { check: recordedSnapshot, shortJournal: 0 });
}
