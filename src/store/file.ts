import { type AppendFiles, appendFiles } from "../platform/append-file.ts";
import { checkedEvents } from "./checked-events.ts";
import { createJournalStore } from "./journal-store.ts";
import type { Store } from "./store.ts";

/** Journals below a folder, every event that is read checked against its schema. */
export function createFileStore(root: string, files: AppendFiles = appendFiles): Store {
  return createJournalStore(root, checkedEvents, files);
}
