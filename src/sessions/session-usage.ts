import type { Command } from "../model/command.ts";
import type { StartedRun } from "../model/run.ts";
import type { TranscriptMark } from "../model/session.ts";
import type { SessionLogs } from "./session-log.ts";
import { readTranscriptUsage } from "./transcript-usage.ts";

type Count = Extract<Command, { type: "count" }>;

interface Moment {
  readonly now: string;
  readonly turns: 0 | 1;
  /** By default the one that the session started with. */
  readonly transcript?: string | null;
}

/** The command that records what a session has used since it was last counted; null if there is nothing to record. */
export function countSession(
  sessions: SessionLogs,
  run: StartedRun,
  session: string,
  { now, turns, transcript }: Moment,
): Count | null {
  const known = sessions.read(session);
  const path = transcript ?? known.transcript;
  const record = run.sessions.find(({ id }) => id === session);
  const mark = laterMark(known.counted, record?.read ?? null);
  const since = record?.startedAt ?? run.startedAt;
  const used = path === null ? null : readTranscriptUsage(path, mark ?? undefined, { since, now });
  const total = sessions.costOf(session);
  const cost = costSince(mark?.cost, total);
  const tokens = used?.tokens ?? 0;
  if (turns + tokens + cost === 0) return null;
  const from = mark?.bytes ?? 0;
  const to = { ...(used?.read.to ?? { ...mark, bytes: from, at: now }), ...(total !== null && { cost: total }) };
  return {
    type: "count",
    session,
    turns,
    ...(used !== null && { tokens }),
    ...(total !== null && { cost }),
    ...((used !== null || total !== null) && { read: { from, to } }),
  };
}

/** Remembers for the session what was recorded: its next turn may belong to another run. */
export function rememberCounted(
  sessions: SessionLogs,
  run: StartedRun,
  { session = "", read }: Count,
  at: string,
  via: string,
): void {
  if (read === undefined || run.sessions.find(({ id }) => id === session)?.read?.at !== read.to.at) return;
  sessions.tell(session, { type: "counted", at, via, mark: read.to });
}

/** What a session has cost before it starts a run is not that run's. */
export function passOverCost(sessions: SessionLogs, session: string | undefined, at: string): void {
  const cost = session === undefined ? null : sessions.costOf(session);
  if (session === undefined || cost === null) return;
  const mark = { bytes: 0, ...sessions.read(session).counted, at, cost };
  sessions.tell(session, { type: "counted", at, via: "server", mark });
}

/** A process may have been stopped after it recorded something, and before it remembered that. */
function laterMark(a: TranscriptMark | null, b: TranscriptMark | null): TranscriptMark | null {
  const time = (mark: TranscriptMark) => Date.parse(mark.at ?? "") || 0;
  return a === null || (b !== null && time(b) > time(a)) ? b : a;
}

/** A host counts from zero again when it resumes a session. */
function costSince(before: number | undefined, total: number | null): number {
  if (total === null || before === undefined) return 0;
  return total >= before ? total - before : total;
}
