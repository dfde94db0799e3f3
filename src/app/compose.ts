import { checkedHistory, createCheckedJournal } from "../journal/checked-journal.ts";
import type { Caller, Deps } from "../operation/operation.ts";
import { checkedEvents } from "../store/file-store.ts";
import { type ComposeOptions, composeDeps } from "./compose-deps.ts";

/** The dependencies of operations in this folder. Everything that they read is checked. */
export function compose(cwd: string, caller: Caller, fixed?: ComposeOptions): Deps {
  const readers = { events: checkedEvents, journal: createCheckedJournal, history: checkedHistory };
  return composeDeps(readers, cwd, caller, fixed);
}
