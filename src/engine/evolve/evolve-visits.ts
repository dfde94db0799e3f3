import type { Note } from "../../model/carry.ts";
import type { EventOf } from "../../model/event.ts";
import { ownEntry } from "../../model/json.ts";
import type { LiveRun, LoopFacts, Visit } from "../../model/run.ts";
import { personsWord } from "../../model/run-state.ts";
import { truncateToEnds } from "../../model/truncate.ts";
import { endTask, replaceTasks } from "../loop-state.ts";
import type { Changes } from "./changes.ts";
import { withoutOpen } from "./evolve-carry.ts";
import { openSession } from "./evolve-sessions.ts";

/** How many characters of a failure message the next attempt gets. */
const noteLimit = 2_000;

/** How many ended visits and session seats the state keeps. The journal has all of them. */
const remembered = { spent: 32, spentWithClaims: 256, seats: 64 };

export function enterVisit(run: LiveRun, event: EventOf<"visit-entered">): Changes {
  const { token, place, number, action, note, carry, at, session, untaken, claim } = event;
  const visit: Visit = {
    token,
    place,
    number,
    attempt: 1,
    action: action && { name: action, status: "due" },
    spending: { turns: 0, tokens: 0, minutes: 0, since: at, continues: 0 },
    approval: "none",
    checking: null,
    review: null,
    note,
    ...(untaken && { untaken }),
    ...(claim !== undefined && { claim }),
  };
  const step = { ...ownEntry(run.steps, place.step), visits: number, status: "open" as const };
  return {
    last: place,
    visits: [...run.visits, visit],
    steps: { ...run.steps, [place.step]: step },
    ...(carry && { carried: { ...run.carried, names: carry } }),
    ...(session !== undefined && seat(run, { session, token, at })),
  };
}

export function closeVisit(run: LiveRun, token: string): Changes {
  return { questions: withoutOpen(run, token), visits: run.visits.filter((visit) => visit.token !== token) };
}

export function changeVisit(run: LiveRun, token: string, change: Partial<Visit>): Changes {
  return { visits: run.visits.map((visit) => (visit.token === token ? { ...visit, ...change } : visit)) };
}

/** What was submitted with an earlier request does not count any more. */
export function askForApproval(run: LiveRun, { token, seq, outcome }: EventOf<"approval-requested">): Changes {
  const ask = ({ proposed: _proposed, ...visit }: Visit): Visit => ({
    ...visit,
    approval: "requested",
    asked: seq,
    ...(outcome !== undefined && { proposed: outcome }),
  });
  return { visits: run.visits.map((visit) => (visit.token === token ? ask(visit) : visit)) };
}

export function withoutCommand(run: LiveRun, token: string): Changes {
  const ended = ({ command: _command, ...visit }: Visit): Visit => visit;
  return { visits: run.visits.map((visit) => (visit.token === token ? ended(visit) : visit)) };
}

export function takeInstructions(run: LiveRun, { token }: EventOf<"instructions-taken">): Changes {
  const taken = ({ untaken: _untaken, ...visit }: Visit): Visit => visit;
  return { visits: run.visits.map((visit) => (visit.token === token ? taken(visit) : visit)) };
}

/** The new template may ask for something else. A context action whose visit was under way is not asked for again. */
export function adoptTemplate(run: LiveRun, { templateHash, untaken }: EventOf<"template-adopted">): Changes {
  if (!untaken) return { templateHash };
  const retold = (visit: Visit): Visit => {
    if (visit.untaken || visit.place.type === "command") return visit;
    return { ...visit, untaken, action: visit.action?.status === "due" ? visit.action : null };
  };
  return { templateHash, visits: run.visits.map(retold) };
}

/** Remembers how a visit ended. The output itself stays in the journal. */
export function spend(run: LiveRun, event: EventOf<"visit-ended"> | EventOf<"visit-failed">): LiveRun["spent"] {
  const { token, fingerprint, seq } = event;
  // Where many agents work at once, as many advances may come before one is repeated.
  const most = run.claims === undefined ? remembered.spent : remembered.spentWithClaims;
  return [...run.spent.slice(1 - most), { token, fingerprint, seq }];
}

/** Ends a failed visit, or retries it under a new token that keeps its spending and handed-out action. */
export function failVisit(run: LiveRun, event: EventOf<"visit-failed">): Changes {
  const { retry, session, at } = event;
  const visit = run.visits.find((open) => open.token === event.token);
  const spent = spend(run, event);
  if (retry === null || visit === undefined) return { spent, ...closeVisit(run, event.token) };
  const retried = changeVisit(run, event.token, {
    token: retry,
    attempt: visit.attempt + 1,
    approval: "none",
    checking: null,
    note: failureNote(event.output),
    said: personsWord(visit),
    ...(visit.driven && { driven: { ...visit.driven, settled: true } }),
  });
  return { spent, ...retried, ...(session !== undefined && seat(run, { session, token: retry, at })) };
}

/** A person has decided, so jumps are counted anew. */
export function forgetJumps(run: LiveRun): Changes {
  return run.jumps === undefined ? {} : { jumps: {} };
}

/** The note about a failure that the next attempt gets. */
export function failureNote(output: string): Note {
  return { from: "failure", text: truncateToEnds(output, noteLimit) };
}

/** Stores a gate failure as a note, so that the agent sees it with the instructions even after it lost its context. */
export function seeGates(run: LiveRun, { token, purpose, evidence }: EventOf<"gates-checked">): Changes {
  if (purpose === "until") return {};
  const failed = evidence.find((one) => !one.held);
  if (failed === undefined) return changeVisit(run, token, { checking: null });
  const text = truncateToEnds(`${failed.what}\n${failed.tail ?? ""}`.trim(), 2_000);
  const visit = run.visits.find((open) => open.token === token);
  const said = visit === undefined ? null : personsWord(visit);
  const counted = visit === undefined ? {} : countFailedGates(visit);
  return changeVisit(run, token, { checking: null, note: { from: "gate", text }, said, ...counted });
}

/** Counted where a runner drives: its agent tries again by itself. */
function countFailedGates({ driven }: Visit): Pick<Visit, "driven"> {
  return driven === undefined ? {} : { driven: { ...driven, failedGates: driven.failedGates + 1 } };
}

/** Records which visit a session was given. */
export function seat(
  run: LiveRun,
  { session, token, at }: Pick<EventOf<"visit-taken">, "session" | "token" | "at">,
): Changes {
  const others = run.seats.filter((taken) => taken.session !== session);
  const seats = [...others.slice(1 - remembered.seats), { session, token }];
  return { seats, ...openSession(run, { id: session, host: null, startedAt: at }) };
}

export function markStep(run: LiveRun, step: string, status: LiveRun["steps"][string]["status"]): Changes {
  const before = ownEntry(run.steps, step) ?? { visits: 0 };
  return { steps: { ...run.steps, [step]: { ...before, status } } };
}

export function noteOutcome(run: LiveRun, step: string, outcome: string): Changes {
  const before = ownEntry(run.steps, step) ?? { visits: 0, status: "open" as const };
  return { steps: { ...run.steps, [step]: { ...before, outcome } } };
}

export function setLoop(run: LiveRun, { loop, tasks, kept }: EventOf<"tasks-set">): Changes {
  const before = ownEntry(run.loops, loop);
  if (before === undefined || kept === 0) return withLoop(run, loop, { status: "set", tasks, next: 0, failed: [] });
  return { ...withLoop(run, loop, { ...replaceTasks(before, tasks), status: "set" }), ...moveVisits(run, loop, tasks) };
}

/** Open visits keep their tasks, wherever these are in the new list. */
function moveVisits(run: LiveRun, loop: string, tasks: LoopFacts["tasks"]): Changes {
  const moved = run.visits.map((visit): Visit => {
    const { place } = visit;
    if (place.type !== "sub-step" || place.step !== loop || tasks[place.index]?.id === place.task) return visit;
    const index = tasks.findIndex(({ id }) => id === place.task);
    return index === -1 ? visit : { ...visit, place: { ...place, index } };
  });
  return moved.every((visit, at) => visit === run.visits[at]) ? {} : { visits: moved };
}

export function markTask(run: LiveRun, event: EventOf<"task-ended">): Changes {
  const loop = ownEntry(run.loops, event.loop);
  if (loop === undefined) return {};
  return withLoop(run, event.loop, endTask(loop, event.index, event.status));
}

export function finishLoop(run: LiveRun, step: string): Changes {
  const loop = ownEntry(run.loops, step);
  return loop === undefined ? {} : withLoop(run, step, { ...loop, status: "finished" });
}

function withLoop(run: LiveRun, id: string, loop: LoopFacts): Changes {
  return { loops: { ...run.loops, [id]: loop } };
}
