import * as z from "zod";
import { RunEvent } from "../model/event.ts";
import { type AppendFiles, appendFiles } from "../platform/append-file.ts";
import { createJournalStore } from "./journal-store.ts";
import type { Store } from "./store.ts";

/** Journals below a folder, every event that is read checked against its schema. */
export function createFileStore(root: string, files: AppendFiles = appendFiles): Store {
  return createJournalStore(root, checkedEvents, files);
}

const Events = z.array(RunEvent);

/** Events of this version, every part of them checked. */
export function checkedEvents(value: unknown): readonly RunEvent[] | string {
  const parsed = Events.safeParse(value);
  return parsed.success ? parsed.data : (parsed.error.issues[0]?.message ?? "");
}
