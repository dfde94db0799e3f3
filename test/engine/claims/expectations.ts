import { expect } from "vitest";
import type { Decision } from "../../../src/engine/commands/decision.ts";
import { tasksOf } from "../../../src/engine/view/view.ts";
import type { Command } from "../../../src/model/command.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import type { LiveRun, Run, Visit } from "../../../src/model/run.ts";
import { claimIn, claimsOf, isLive, visitOfSession } from "../../../src/model/run-state.ts";
import { minutesBetween } from "../../../src/model/time.ts";
import { type Ledger, openTasks, parallelOf, readyTasks } from "./ledger.ts";
import { waits } from "./random-act.ts";

const sessions = ["a", "b", "c", "d", "z"];

/** What is expected of a decision about a command; `add` folds its events, one by one. */
export function expectHanded(
  ledger: Ledger,
  before: Run,
  command: Command,
  decision: Decision,
  add: (event: RunEvent) => void,
): void {
  expectLost(ledger, before, command, decision);
  if (!decision.ok) {
    expectNothingTold(ledger, command, decision.refusal);
    return;
  }
  expectTokenLives(ledger, before, command, decision.events);
  for (const event of decision.events) {
    if (event.type === "claim-lost") {
      expect(command.type === "claim" && command.expired).toContain(event.claim);
    }
    add(event);
    expectOwn(ledger, command, event, decision.events);
  }
  expectClaims(ledger, before, command, decision);
}

/** The commands that only an agent sends. */
const agents = ["advance", "hand-out", "take-instructions", "start-gates", "report-gates", "request-approval", "ask"];

/** A token that names no open visit does nothing any more; one that nobody has claimed lets nobody work. */
function expectTokenLives({ visits }: Ledger, before: Run, command: Command, events: readonly RunEvent[]): void {
  if (!("token" in command) || command.token === undefined || !isLive(before)) return;
  const visit = visits.get(command.token);
  if (visit === undefined) expect(events).toEqual([]);
  if (visit?.claim === null && agents.includes(command.type)) expect(events).toEqual([]);
}

/** Whoever comes late is told that the claim is lost, unless the very same answer was accepted before. */
function expectLost({ lost, visits }: Ledger, before: Run, command: Command, decision: Decision): void {
  if (command.type !== "advance" || command.token === undefined || !isLive(before)) return;
  const number = claimIn(command.token);
  const isKnown = number !== null && lost.slice(-128).includes(number) && !visits.has(command.token);
  if (!isKnown || (decision.ok && decision.replayed !== undefined)) return;
  expect(decision).toMatchObject({ ok: false, refusal: { code: "claim-lost", sent: command.token } });
}

/** What an agent's command is about is its own: claimed by it, just now or before, or named by it with a token that it was told. */
function expectOwn({ claims }: Ledger, command: Command, event: RunEvent, events: readonly RunEvent[]): void {
  if (!(["claim", "set-tasks", ...agents].includes(command.type) && "token" in event) || isTaken(event)) return;
  const number = claimIn((event.type === "visit-claimed" ? event.as : event.token) ?? "");
  if (number === null) return;
  const session = "session" in command ? command.session : undefined;
  const isNamed = "token" in command && command.token !== undefined && claimIn(command.token) === number;
  const isNew = events.some((each) => each.type === "visit-claimed" && each.claim === number);
  const holder = claims.get(number)?.session;
  if (!isNamed) expect(holder).toBe(session ?? (isNew ? null : "nobody knows"));
}

/** Taken from an agent that is gone, or from all of them because the run leaves the loop. */
function isTaken({ type }: RunEvent): boolean {
  return type === "claim-lost" || type === "visit-closed";
}

/** A caller gets at most one task by itself: when it has ended one, or come to the loop, and has none to go on with. */
function expectClaims(ledger: Ledger, before: Run, command: Command, decision: Extract<Decision, { ok: true }>): void {
  const claimed = decision.events.flatMap((event) => (event.type === "visit-claimed" ? [event] : []));
  expect(claimed.length).toBeLessThanOrEqual(1);
  const { run } = decision;
  if (claimed.length > 0) expect(["claim", "advance", "set-tasks"]).toContain(command.type);
  if (mayHaveTask(ledger, before, command)) expect(decision.events).toEqual([]);
  if (!isLive(run) || !isLive(before) || command.type === "claim") return;
  const [first] = claimed;
  const isKept = "token" in command && run.visits.some(({ token }) => goesOn(command.token, token));
  if (isKept) expect(claimed).toEqual([]);
  const had = first === undefined ? [] : claimsOf(run, first.session).filter((visit) => !waits(run, visit));
  if (first?.session !== undefined) expect(had.map(({ claim }) => claim?.number)).toEqual([first.claim]);
  const hasEnded = decision.events.some(({ type }) => type === "task-ended");
  const session = "session" in command ? command.session : undefined;
  if (command.type !== "advance" || !hasEnded || session === undefined) return;
  const isFree = run.visits.some((visit) => visit.claim === null && !waits(run, visit));
  const isBusy = claimsOf(run, session).some((visit) => !waits(run, visit));
  if (isFree) expect(isBusy).toBe(true);
  expect(ledger.visits.size).toBe(run.visits.length);
}

/** A caller that has a task, or may be the one that has, is given no other just because it asks. */
function mayHaveTask({ claims }: Ledger, before: Run, command: Command): boolean {
  if (command.type !== "claim" || command.task !== undefined || !isLive(before)) return false;
  const { session = null, expired } = command;
  const own = before.visits.flatMap(({ claim }) => (claim == null ? [] : [claim.number]));
  const held = own.filter((number) => claims.get(number)?.session === session);
  return held.some((number) => session !== null || !expired.includes(number));
}

function goesOn(sent: string | undefined, token: string): boolean {
  const number = sent === undefined ? null : claimIn(sent);
  return number !== null && claimIn(token) === number;
}

/** A refusal names nobody else's visit to an agent; to one without a session only those of others without. */
function expectNothingTold({ visits, claims }: Ledger, command: Command, refusal: object): void {
  if (!["claim", ...agents].includes(command.type)) return;
  const session = "session" in command ? command.session : undefined;
  const holders = (key: string) => {
    const named: unknown = Reflect.get(refusal, key) ?? [];
    const tokens = Array.isArray(named) ? named.filter((token) => visits.get(token)?.claim != null) : [];
    return tokens.map((token) => claims.get(claimIn(token) ?? 0)?.session);
  };
  expect(holders("open").filter((holder) => holder !== session)).toEqual([]);
  expect(holders("perhaps").filter((holder) => holder !== null || session !== undefined)).toEqual([]);
}

/** What must hold of a run whenever a command is done. */
export function expectState(ledger: Ledger, run: Run, at: string): void {
  if (run.status === "absent") return;
  for (const loop of ledger.lists.keys()) expectTasks(ledger, run, loop);
  if (!isLive(run)) return;
  expect(run.visits.length).toBeGreaterThan(0);
  expect(new Set(run.visits.map(({ token }) => token))).toEqual(new Set(ledger.visits.keys()));
  expectStatus(run);
  for (const visit of run.visits) expectVisit(ledger, run, visit, at);
  for (const session of sessions) {
    const own = [...claimsOf(run, session), visitOfSession(run, session)].filter((visit) => visit !== null);
    const others = own.filter(({ claim }) => claim !== undefined && claim?.session !== session);
    expect(others).toEqual([]);
  }
  expect(visitOfSession(run, undefined)?.claim).toBeUndefined();
  const asked = run.questions.flatMap(({ token, answer }) => (answer === null ? [token] : []));
  expect(asked.filter((token) => !ledger.visits.has(token))).toEqual([]);
  expect(run.lostClaims?.filter((number) => run.visits.some(({ claim }) => claim?.number === number)) ?? []).toEqual(
    [],
  );
}

/** Running while any visit can go on, else in review if any is, else waiting. */
function expectStatus(run: LiveRun): void {
  if (run.status === "paused") return;
  const isReviewed = run.visits.some(({ review }) => review !== null);
  const isGoing = run.visits.some((visit) => !waits(run, visit));
  expect(run.status).toBe(isGoing ? "running" : isReviewed ? "review" : "waiting");
}

function expectVisit({ visits, claims }: Ledger, run: LiveRun, visit: Visit, at: string): void {
  const { token, claim, lost = 0, spending, pending, place } = visit;
  const listed = visits.get(token);
  expect({ number: claim?.number ?? null, lost }).toEqual({ number: listed?.claim ?? null, lost: listed?.lost });
  if (claim != null) expect(claims.get(claim.number)?.session).toBe(claim.session);
  // Only losses interrupt a task here: no step is a command.
  expect(pending?.why === "interrupted").toBe(lost >= 3);
  expect(run.steps[place.step]?.status).toBe("open");
  const ticks = run.status !== "paused" && claim !== null && !waits(run, visit);
  const minutes = spending.minutes + (ticks ? minutesBetween(spending.since, at) : 0);
  // A person has given it a new budget just now.
  if (listed !== undefined && Number.isNaN(listed.minutes)) listed.minutes = minutes;
  expect(minutes).toBeCloseTo(listed?.minutes ?? -1, 6);
}

/** The list says what the events said, and as many are open as can be. */
function expectTasks(ledger: Ledger, run: Exclude<Run, { status: "absent" }>, loop: string): void {
  const list = ledger.lists.get(loop) ?? [];
  const open = openTasks(ledger, loop);
  const claimed = isLive(run)
    ? run.visits.flatMap(({ place, claim }) => (place.type === "sub-step" && claim !== null ? [place] : []))
    : [];
  const begun = claimed.filter(({ step }) => step === loop).map(({ task }) => task);
  expect(tasksOf(run, loop).map(({ id, status }) => `${id} ${status}`)).toEqual(
    list.map(({ id, mark }) => `${id} ${begun.includes(id) ? "in_progress" : mark}`),
  );
  if (open.length === 0 || open.length === (parallelOf(ledger, loop) ?? 1)) return;
  expect(readyTasks(ledger, loop)).toEqual([]);
}
