import type { EventOf } from "../../model/event.ts";
import type { LiveRun, SessionRecord } from "../../model/run.ts";
import type { Changes } from "./changes.ts";

/** How many sessions the state remembers. The journal has them all. */
const remembered = 50;

/** Whoever takes a visit is a session of the run, also when its host never told of it. */
export function openSession(run: LiveRun, began: Pick<SessionRecord, "id" | "host" | "startedAt">): Changes {
  const known = run.sessions.find(({ id }) => id === began.id);
  if (known === undefined) {
    const record: SessionRecord = { ...began, ended: null, compactions: 0 };
    return { sessions: [...run.sessions.slice(1 - remembered), record] };
  }
  if (known.ended === null && (began.host === null || known.host !== null)) return {};
  return changeSession(run.sessions, began.id, { ended: null, host: known.host ?? began.host });
}

/** A session that takes another's place sits where that one sat. */
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
