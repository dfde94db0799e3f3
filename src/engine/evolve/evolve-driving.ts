import type { EventOf } from "../../model/event.ts";
import type { LiveRun, Visit } from "../../model/run.ts";
import type { Changes } from "./changes.ts";
import { changeVisit } from "./evolve-visits.ts";

export function beginDrive(_run: LiveRun, { runner, agent, at }: EventOf<"drive-began">): Changes {
  return { drive: { runner, agent, since: at } };
}

/**
 * The run goes on, so what it was parked for has passed. A runner has one agent: an attempt that it began earlier at another
 * visit has come to its end.
 */
export function beginAttempt(run: LiveRun, { token, told, at }: EventOf<"attempt-began">): Changes {
  const began = run.drive?.since;
  const isOver = ({ token: other, driven }: Visit) =>
    other !== token && driven !== undefined && began !== undefined && driven.since >= began;
  const visits = run.visits.some(isOver)
    ? run.visits.map((visit) => (isOver(visit) ? settle(visit) : visit))
    : run.visits;
  return {
    ...(run.parked && { parked: null }),
    ...(run.messages && told === undefined && { messages: [] }),
    ...changeDriven({ ...run, visits }, token, { since: at }),
  };
}

function settle(visit: Visit): Visit {
  return visit.driven === undefined ? visit : { ...visit, driven: { ...visit.driven, settled: true } };
}

export function loseAttempt(run: LiveRun, { token }: EventOf<"attempt-lost">): Changes {
  const lost = (run.visits.find((visit) => visit.token === token)?.driven?.lost ?? 0) + 1;
  return changeDriven(run, token, { lost });
}

export function park(_run: LiveRun, { why, reason, until }: EventOf<"run-parked">): Changes {
  return { parked: { why, reason, ...(until !== undefined && { until }) } };
}

export function tell(run: LiveRun, { text }: EventOf<"agent-told">): Changes {
  return { messages: [...(run.messages ?? []), text] };
}

export function deliver(run: LiveRun, { count }: EventOf<"messages-delivered">): Changes {
  return { messages: (run.messages ?? []).slice(count) };
}

/** A runner that stops because a person has to act has not broken off its agent. */
export function endDrive(run: LiveRun, { why }: EventOf<"drive-ended">): Changes {
  if (why !== "waits") return { drive: null };
  return { drive: null, visits: run.visits.map(settle) };
}

function changeDriven(run: LiveRun, token: string, change: Partial<Visit["driven"]>): Changes {
  const visit = run.visits.find((open) => open.token === token);
  const { settled: _settled, ...driven } = visit?.driven ?? { since: run.updatedAt, lost: 0, failedGates: 0 };
  return changeVisit(run, token, { driven: { ...driven, ...change } });
}
