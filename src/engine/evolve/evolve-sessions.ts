import type { EventOf } from "../../model/event.ts";
import type { LiveRun, Priming, SessionRecord } from "../../model/run.ts";
import type { Changes } from "./changes.ts";

/** How many sessions the state keeps. The journal has all of them. */
const remembered = 50;

/** A session that is given a visit belongs to the run, even if its host never announced it. */
export function openSession(run: LiveRun, began: Began): Changes {
  const known = run.sessions.find(({ id }) => id === began.id);
  if (known === undefined) {
    const record: SessionRecord = { ...began, ended: null, compactions: 0 };
    return { sessions: [...run.sessions.slice(1 - remembered), record] };
  }
  const hostVersion = began.hostVersion ?? known.hostVersion;
  const isTold = hostVersion === known.hostVersion && (began.host === null || known.host !== null);
  if (known.ended === null && isTold) return {};
  const version = hostVersion === undefined ? {} : { hostVersion };
  return changeSession(run.sessions, began.id, { ended: null, host: known.host ?? began.host, ...version });
}

type Began = Pick<SessionRecord, "id" | "host" | "hostVersion" | "startedAt">;

/** A session that replaces another one takes over its visit and its claims. */
export function startSession(run: LiveRun, event: EventOf<"session-started">): Changes {
  const { session, host, hostVersion, follows, at } = event;
  const version = hostVersion === undefined ? {} : { hostVersion };
  const opened = openSession(run, { id: session, host, ...version, startedAt: at });
  const before = run.seats.find((seat) => seat.session === follows);
  const taken = run.seats.some((seat) => seat.session === session);
  const seats = before === undefined || taken ? {} : { seats: [...run.seats, { ...before, session }] };
  return { ...opened, ...seats, ...followClaims(run, follows, session) };
}

function followClaims(run: LiveRun, from: string | null, to: string): Changes {
  if (from === null || !run.visits.some(({ claim }) => claim?.session === from)) return {};
  const visits = run.visits.map((visit) =>
    visit.claim?.session === from ? { ...visit, claim: { ...visit.claim, session: to } } : visit,
  );
  return { visits };
}

export function endSession(run: LiveRun, { session, reason, at }: EventOf<"session-ended">): Changes {
  return changeSession(run.sessions, session, { ended: { at, reason } });
}

export function countCompaction(run: LiveRun, { session, at }: EventOf<"compaction-began">): Changes {
  const { sessions = run.sessions } = openSession(run, { id: session, host: null, startedAt: at });
  const compactions = (sessions.find(({ id }) => id === session)?.compactions ?? 0) + 1;
  return changeSession(sessions, session, { compactions });
}

function changeSession(sessions: LiveRun["sessions"], id: string, change: Partial<SessionRecord>): Changes {
  return { sessions: sessions.map((each) => (each.id === id ? { ...each, ...change } : each)) };
}

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

/** The artifacts that are still in this session's context: their hashes by id; empty for one that is not there as a whole. */
export function loadedBy(run: LiveRun, session: string | undefined): Readonly<Record<string, string>> {
  if (session === undefined) return {};
  const { epoch, loaded } = run.priming;
  if (!isSame(epoch, { session, compactions: compactionsOf(run, session) })) return {};
  return Object.fromEntries(loaded.map(({ id, hash, excerpt }) => [id, excerpt ? "" : hash]));
}

function compactionsOf({ sessions }: LiveRun, session: string): number {
  return sessions.find(({ id }) => id === session)?.compactions ?? 0;
}

function isSame(a: Priming["epoch"], b: Priming["epoch"]): boolean {
  return a !== null && b !== null && a.session === b.session && a.compactions === b.compactions;
}
