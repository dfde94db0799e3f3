import { createHashedJournal, hashedHistory } from "../journal/light/hashed-journal.ts";
import { uncheckedEvents } from "../journal/light/unchecked-readers.ts";
import type { Caller, Deps } from "../operation/operation.ts";
import { knownSettings } from "../project/compiled-settings.ts";
import { composeDeps } from "./compose-deps.ts";

/**
 * The dependencies of queries that only show where runs stand. What they read is checked by its hashes, and not against
 * schemas, whose loading took a third of their time. Null in a project whose runs are shared: its store loads the schemas all
 * the same, and even a query records there what hooks have queued.
 */
export function composeLight(cwd: string, caller: Caller): Deps | null {
  const deps = composeDeps(
    { events: uncheckedEvents, journal: createHashedJournal, history: hashedHistory },
    cwd,
    caller,
  );
  return knownSettings(deps.roots.stateRoot)?.settings.shared === null ? deps : null;
}
