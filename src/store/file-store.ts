import { eventSchema, isEventType, type RunEvent } from "../model/event.ts";
import { isRecord } from "../model/json.ts";
import { type AppendFiles, appendFiles } from "../platform/append-file.ts";
import { createJournalStore } from "./journal-store.ts";
import type { Store } from "./store.ts";

/** A store of journals in a folder; every event is checked against its schema when it is read. */
export function createFileStore(root: string, files: AppendFiles = appendFiles): Store {
  return createJournalStore(root, checkedEvents, files);
}

/** Parses the events of a commit with their schemas. Returns what is wrong with the first invalid one. */
export function checkedEvents(value: unknown): readonly RunEvent[] | string {
  if (!Array.isArray(value)) return "the events are not a list";
  const events: RunEvent[] = [];
  for (const each of value) {
    const type = isRecord(each) ? each.type : undefined;
    if (!isEventType(type)) return "an event has an unknown type";
    const parsed = eventSchema(type).safeParse(each);
    if (!parsed.success) return parsed.error.issues[0]?.message ?? "";
    events.push(parsed.data);
  }
  return events;
}
