import { HoldfastError } from "../errors.ts";
import { markRemoved, readCopyMark } from "./copy-mark.ts";
import { isRemovedCopy } from "./journal-file.ts";
import type { SharedStore } from "./store.ts";

/**
 * Remembers beside the copies which of these runs, none of which is in the shared store, were removed from it, and returns
 * them. Hooks ask nobody, and lists show runs as they were last read.
 */
export async function noteRemovals(
  shared: SharedStore,
  root: string,
  missing: readonly string[],
  versionOf: (run: string) => number,
): Promise<readonly string[]> {
  const copies = missing.filter((run) => isCopyOf(root, run, shared.project) && !isRemovedCopy(root, run));
  const removals = copies.length === 0 ? [] : [...(await shared.removals(copies))];
  const noted = removals.filter(([run, { version }]) => version >= versionOf(run));
  for (const [run, { at }] of noted) markRemoved(root, run, shared.project, at);
  return noted.map(([run]) => run);
}

/** Whether the journal here is a copy of a run of this project. */
export function isCopyOf(root: string, run: string, project: string): boolean {
  return readCopyMark(root, run)?.project === project;
}

/** If the copy has more commits than the run had when it was removed, the run came back afterwards, and was lost in another way. */
export async function refuseRemoved(shared: SharedStore, run: string, version: number): Promise<void> {
  const removal = (await shared.removals([run])).get(run);
  if (removal === undefined || removal.version < version) return;
  throw new HoldfastError("run-removed", { run, where: shared.where, at: removal.at });
}
