import * as z from "zod";
import { RunEvent } from "../model/event.ts";
import { type AppendFiles, appendFiles } from "../platform/append-file.ts";
import { createJournalStore } from "./journal-store.ts";
import type { Store } from "./store.ts";

/** A store of journals in a folder; every event is checked against its schema when it is read. */
export function createFileStore(root: string, files: AppendFiles = appendFiles): Store {
  return createJournalStore(root, checkedEvents, files);
}

const Events = z.array(RunEvent);

/** Parses the events of a commit with their schema. */
export function checkedEvents(value: unknown): readonly RunEvent[] | string {
  const parsed = Events.safeParse(value);
  return parsed.success ? parsed.data : (parsed.error.issues[0]?.message ?? "");
}
