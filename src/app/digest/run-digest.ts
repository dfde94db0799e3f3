import type { Ref } from "../../journal/projection.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Deps } from "../../operation/operation.ts";
import type { VisitRow } from "../../serve/contract/run-answers.ts";
import type { Commit, Store } from "../../store/store.ts";
import { addToChecks, addType, beginChecks, type Checks, type EventTypes } from "./checks.ts";
import { beginCount, copyCount, countEvent, type RunCount } from "./count-run.ts";
import { addToDays, beginDays, type TakenDays } from "./taken-days.ts";
import { addToRows, beginRows, tokenIn, type VisitRows, visitName } from "./visit-rows.ts";

/**
 * What a run's journal tells when it is read once from its beginning: what each step took, and a row for each visit. A server
 * keeps it in memory and reads only what is new; a new process reads the whole journal.
 */
export interface RunDigest {
  /** The last commit that it has read. */
  readonly version: number;
  readonly head: string;
  readonly place: number;
  /** The number of its last event. */
  readonly seq: number;
  readonly count: RunCount;
  readonly rows: VisitRows;
  readonly checks: Checks;
  readonly taken: TakenDays;
  /** When the run was paused last. */
  readonly pausedAt: string | null;
  /** What was checked out when its first session began; null if none has told. */
  readonly firstCommit: string | null;
  /** From here the events after some number can be read without those before. */
  readonly marks: readonly Mark[];
}

interface Mark extends Ref {
  /** The last event of that commit. */
  readonly seq: number;
  readonly count: RunCount;
  readonly types: EventTypes;
}

type Draft = { -readonly [K in keyof RunDigest]: RunDigest[K] } & { marks: Mark[] };

/** How many events there are from one mark to the next. */
export const markEvery = 2_000;

/** The digest of a run as its journal is now. */
export async function digestOf({ store }: Pick<Deps, "store">, runId: string): Promise<RunDigest> {
  const entry = entryOf(store, runId);
  // One after the other: two readers at once would count every event twice.
  const next = entry.last.then(
    () => catchUp(store, runId, entry),
    () => catchUp(store, runId, entry),
  );
  entry.last = next;
  return next;
}

/** What the steps had taken right after an event. */
export async function countAt({ store }: Pick<Deps, "store">, runId: string, event: number): Promise<RunCount> {
  const digest = await digestOf({ store }, runId);
  if (event >= digest.seq) return copyCount(digest.count);
  const mark = markBefore(digest, event);
  const count = mark === undefined ? beginCount() : copyCount(mark.count);
  for await (const { events } of store.read(runId, mark)) {
    for (const each of events) {
      if (each.seq > event) return count;
      if (each.seq > (mark?.seq ?? 0)) countEvent(count, each);
    }
  }
  return count;
}

/** How many events of each type there were up to an event. */
export async function typesAt({ store }: Pick<Deps, "store">, runId: string, digest: RunDigest, event: number) {
  if (event >= digest.seq) return digest.checks.types;
  const mark = markBefore(digest, event);
  const types: EventTypes = new Map(mark?.types);
  for await (const { events } of store.read(runId, mark)) {
    for (const each of events) {
      if (each.seq > event) return types;
      if (each.seq > (mark?.seq ?? 0)) addType(types, each);
    }
  }
  return types;
}

/** How many events of a run this process has read, so that it need not read them again. */
export function knownUpTo({ store }: Pick<Deps, "store">, runId: string): number {
  return entries.get(store)?.get(runId)?.digest.seq ?? 0;
}

/** Where to read on from to get the events after a number: somewhere at or before it. */
function markBefore({ marks }: RunDigest, event: number): Mark | undefined {
  return marks.findLast(({ seq }) => seq <= event);
}

/**
 * The events of a visit after one of them, read from the last mark before. What belongs to no visit, such as a compaction, is
 * given with every visit in whose time it fell.
 */
export async function* visitEvents(
  { store }: Pick<Deps, "store">,
  runId: string,
  digest: RunDigest,
  row: VisitRow,
  after = 0,
): AsyncGenerator<RunEvent> {
  const start = Math.max(after, row.firstEvent - 1);
  const name = visitName(row.token);
  const { lastEvent } = row;
  for await (const { events } of store.read(runId, markBefore(digest, start))) {
    yield* events.filter((event) => event.seq > start && event.seq <= lastEvent && belongs(event, name));
    if ((events.at(-1)?.seq ?? 0) >= lastEvent) return;
  }
}

function belongs(event: RunEvent, name: string): boolean {
  const token = tokenIn(event);
  return token === null || visitName(token) === name;
}

interface Entry {
  digest: Draft;
  last: Promise<unknown>;
  forget(): void;
}

async function catchUp(store: Store, runId: string, entry: Entry): Promise<RunDigest> {
  try {
    if (!(await readOn(store, runId, entry.digest))) {
      entry.digest = beginDigest();
      await readOn(store, runId, entry.digest);
    }
  } catch (error) {
    entry.forget();
    throw error;
  }
  used.delete(entry);
  used.add(entry);
  forgetOldest();
  return entry.digest;
}

/** False if the journal no longer has the commit that the digest ends with: it was repaired or replaced. */
async function readOn(store: Store, runId: string, digest: Draft): Promise<boolean> {
  const { version, head, place } = digest;
  if (version > 0 && (await store.isStillAt(runId, { version, id: head }))) return true;
  let isFound = version === 0;
  for await (const commit of store.read(runId, version === 0 ? undefined : { version, place })) {
    if (commit.version === version) {
      if (commit.id !== head) return false;
      isFound = true;
      continue;
    }
    if (!isFound) return false;
    addCommit(digest, commit);
  }
  return isFound;
}

function addCommit(digest: Draft, { version, id, place, events }: Commit): void {
  for (const event of events) {
    countEvent(digest.count, event);
    addToRows(digest.rows, event);
    addToChecks(digest.checks, event);
    addToDays(digest.taken, event);
    digest.seq = event.seq;
    if (pauses(event)) digest.pausedAt = event.at;
    if (event.type === "session-started") digest.firstCommit ??= event.environment?.commit ?? null;
  }
  digest.version = version;
  digest.head = id;
  digest.place = place;
  if (digest.seq - (digest.marks.at(-1)?.seq ?? 0) < markEvery) return;
  digest.marks.push({
    version,
    place,
    seq: digest.seq,
    count: copyCount(digest.count),
    types: new Map(digest.checks.types),
  });
}

function pauses(event: RunEvent): boolean {
  return event.type === "run-paused" || (event.type === "review-decided" && event.verdict === "escalate");
}

function beginDigest(): Draft {
  return {
    version: 0,
    head: "",
    place: 0,
    seq: 0,
    count: beginCount(),
    rows: beginRows(),
    checks: beginChecks(),
    taken: beginDays(),
    pausedAt: null,
    firstCommit: null,
    marks: [],
  };
}

const entries = new WeakMap<Store, Map<string, Entry>>();
/** All entries, the least recently used one first. */
const used = new Set<Entry>();
/** How many rows and gates are kept in memory in all, at most about 600 bytes each. The digest that was used last is kept, whatever its size. */
const mostRows = 150_000;
const mostRuns = 500;

function entryOf(store: Store, runId: string): Entry {
  const ofStore = entries.get(store) ?? new Map<string, Entry>();
  entries.set(store, ofStore);
  const known = ofStore.get(runId);
  if (known !== undefined) return known;
  const entry: Entry = {
    digest: beginDigest(),
    last: Promise.resolve(),
    forget() {
      if (ofStore.get(runId) === entry) ofStore.delete(runId);
      used.delete(entry);
    },
  };
  ofStore.set(runId, entry);
  return entry;
}

function forgetOldest(): void {
  let rows = 0;
  for (const { digest } of used) rows += sizeOf(digest);
  for (const entry of used) {
    if ((rows <= mostRows && used.size <= mostRuns) || used.size === 1) return;
    rows -= sizeOf(entry.digest);
    entry.forget();
  }
}

function sizeOf({ rows, checks }: RunDigest): number {
  return rows.all.length + checks.gates.length;
}
