import type { EventOf } from "../../model/event.ts";
import type { EndedRun, LiveRun, SessionRecord, Visit } from "../../model/run.ts";
import { withClaim } from "../../model/run-state.ts";
import { earlier } from "../../model/time.ts";
import type { Changes } from "./changes.ts";
import { forgetClaims, unclaimed } from "./evolve-claims.ts";

type Received = EventOf<"run-received">;

/** A run received from another machine: approvals and gate checks from there do not count here. */
export function receive(run: LiveRun, { at, worktree }: Received): Changes {
  const sessions = run.sessions.map((session) => believedSession(session, at));
  const visits = run.visits.map((visit) => receivedVisit(visit, at));
  const spending = run.spending && { spending: { ...run.spending, since: earlier(run.spending.since, at) } };
  const voided = run.visits.flatMap(({ claim }) => (claim == null ? [] : [claim.number]));
  return {
    startedAt: earlier(run.startedAt, at),
    worktree,
    sessions,
    visits,
    ...spending,
    ...(voided.length > 0 && { lostClaims: forgetClaims(run, voided), questions: withoutClaims(run.questions) }),
    // Nobody drives it here, and what stopped it there need not stop it here.
    ...(run.drive && { drive: null }),
    ...(run.parked && { parked: null }),
    received: true,
  };
}

/** Whoever holds a claim on the other machine cannot answer here. */
function withoutClaims(questions: LiveRun["questions"]): LiveRun["questions"] {
  return questions.map((each) => ({ ...each, token: withClaim(each.token, null) }));
}

/** Times in the future come from another machine's clock; the time of receipt replaces them. */
export function receiveEnded(run: EndedRun, { seq, at, worktree }: Received): EndedRun {
  const [startedAt, updatedAt, endedAt] = [
    earlier(run.startedAt, at),
    earlier(run.updatedAt, at),
    earlier(run.endedAt, at),
  ];
  const sessions = run.sessions.map((session) => believedSession(session, at));
  return { ...run, seq, startedAt, updatedAt, endedAt, worktree, sessions, received: true };
}

function receivedVisit({ command, ...received }: Visit, at: string): Visit {
  const visit = received.claim == null ? received : unclaimed(received, withClaim(received.token, null));
  const { approval, spending } = visit;
  // Nobody here knows how far the command came on the other machine.
  const isLost = command !== undefined && !command.repeatable;
  return {
    ...visit,
    ...(isLost && { pending: { why: "interrupted" as const, reason: "the run was moved while its command ran" } }),
    approval: approval === "given" ? "foreign" : approval,
    checking: null,
    spending: { ...spending, since: earlier(spending.since, at) },
  };
}

function believedSession(session: SessionRecord, at: string): SessionRecord {
  const { startedAt, ended } = session;
  return {
    ...session,
    startedAt: earlier(startedAt, at),
    ended: ended === null ? null : { ...ended, at: earlier(ended.at, at) },
  };
}
