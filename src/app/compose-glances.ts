import { createHashedJournal } from "../journal/light/hashed-journal.ts";
import { uncheckedEvents } from "../journal/light/unchecked-readers.ts";
import type { Caller, Deps } from "../operation/operation.ts";
import { composeDeps } from "./compose-deps.ts";

/**
 * The dependencies of queries that only show where runs stand. What they read is checked by its hashes, and not against
 * schemas: loading those would take longer than all else that such a query does.
 */
export function composeGlances(cwd: string, caller: Caller): Deps {
  return composeDeps({ events: uncheckedEvents, journal: createHashedJournal }, cwd, caller);
}
