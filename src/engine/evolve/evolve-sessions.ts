import type { EventOf } from "../../model/event.ts";
import type { LiveRun, SessionRecord } from "../../model/run.ts";
import type { Changes } from "./changes.ts";

/** How many sessions the state keeps. The journal has all of them. */
const remembered = 50;

/** A session that is given a visit belongs to the run, even if its host never announced it. */
export function openSession(run: LiveRun, began: Pick<SessionRecord, "id" | "host" | "startedAt">): Changes {
  const known = run.sessions.find(({ id }) => id === began.id);
  if (known === undefined) {
    const record: SessionRecord = { ...began, ended: null, compactions: 0 };
    return { sessions: [...run.sessions.slice(1 - remembered), record] };
  }
  if (known.ended === null && (began.host === null || known.host !== null)) return {};
  return changeSession(run.sessions, began.id, { ended: null, host: known.host ?? began.host });
}

/** A session that replaces another one takes over its visit. */
export function startSession(run: LiveRun, { session, host, follows, at }: EventOf<"session-started">): Changes {
  const opened = openSession(run, { id: session, host, startedAt: at });
  const before = run.seats.find((seat) => seat.session === follows);
  const taken = run.seats.some((seat) => seat.session === session);
  return before === undefined || taken ? opened : { ...opened, seats: [...run.seats, { ...before, session }] };
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
