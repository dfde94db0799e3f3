import type { EventOf } from "../../model/event.ts";
import type { Priming } from "../../model/priming.ts";
import type { LiveRun } from "../../model/run.ts";
import type { Changes } from "./changes.ts";

/** Records what was loaded. A new epoch starts empty: the model no longer sees what the last one loaded. */
export function noteLoaded(run: LiveRun, { session, artifacts, at }: EventOf<"artifacts-loaded">): Changes {
  const { priming } = run;
  const epoch = session === undefined ? null : { session, compactions: compactionsOf(run, session) };
  const ids = new Set(artifacts.map(({ id }) => id));
  // A host may compact without announcing it, so loading because of a compaction starts an epoch, too.
  const goesOn = isSame(priming.epoch, epoch) && artifacts.every(({ trigger }) => trigger !== "compaction");
  const before = goesOn ? priming.loaded.filter(({ id }) => !ids.has(id)) : [];
  const loaded = [...before, ...artifacts.map((artifact) => ({ ...artifact, at }))];
  return { priming: { reloads: priming.reloads + 1, lastAt: at, epoch, loaded } };
}

/** The artifacts that are still in this session's context: their hashes by id. */
export function loadedBy(run: LiveRun, session: string | undefined): Readonly<Record<string, string>> {
  if (session === undefined) return {};
  const { epoch, loaded } = run.priming;
  if (!isSame(epoch, { session, compactions: compactionsOf(run, session) })) return {};
  return Object.fromEntries(loaded.map(({ id, hash }) => [id, hash]));
}

function compactionsOf({ sessions }: LiveRun, session: string): number {
  return sessions.find(({ id }) => id === session)?.compactions ?? 0;
}

function isSame(a: Priming["epoch"], b: Priming["epoch"]): boolean {
  return a !== null && b !== null && a.session === b.session && a.compactions === b.compactions;
}
