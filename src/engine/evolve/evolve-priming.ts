import type { EventOf } from "../../model/event.ts";
import type { Priming } from "../../model/priming.ts";
import type { LiveRun } from "../../model/run.ts";
import type { Changes } from "./changes.ts";

/** What stays of one loading: in a new epoch nothing of the last one is before the model any more. */
export function noteLoaded(run: LiveRun, { session, artifacts, at }: EventOf<"artifacts-loaded">): Changes {
  const { priming } = run;
  const epoch = session === undefined ? null : { session, compactions: compactionsOf(run, session) };
  const ids = new Set(artifacts.map(({ id }) => id));
  // A host may compact without a word before it: what is loaded because of that begins an epoch too.
  const goesOn = isSame(priming.epoch, epoch) && artifacts.every(({ trigger }) => trigger !== "compaction");
  const before = goesOn ? priming.loaded.filter(({ id }) => !ids.has(id)) : [];
  const loaded = [...before, ...artifacts.map((artifact) => ({ ...artifact, at }))];
  return { priming: { reloads: priming.reloads + 1, lastAt: at, epoch, loaded } };
}

/** What this session still has before it, by id, with its hash. */
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
