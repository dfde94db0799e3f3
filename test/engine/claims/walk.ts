import { expect } from "vitest";
import { decide } from "../../../src/engine/commands/decide.ts";
import type { Decision } from "../../../src/engine/commands/decision.ts";
import { evolve } from "../../../src/engine/evolve/evolve.ts";
import type { Command } from "../../../src/model/command.ts";
import { type LiveRun, type Run, StartedRun, type Visit } from "../../../src/model/run.ts";
import { isLive } from "../../../src/model/run-state.ts";
import { RunEvent } from "../../../src/model/schemas.ts";
import type { Task } from "../../../src/model/task.ts";
import type { Template } from "../../../src/model/template.ts";
import { hash, runId } from "../drive.ts";
import { expectHanded, expectState } from "./expectations.ts";
import { type Ledger, newLedger, record } from "./ledger.ts";
import { type Act, commandFor, settle, waits, workOn } from "./random-act.ts";

/** A run in memory, and what its events say about it. */
export interface Walk {
  readonly law: Template;
  readonly ledger: Ledger;
  run: Run;
  readonly events: RunEvent[];
  readonly tokens: string[];
  last: Command | null;
  minutes: number;
}

/** A run whose loop has got its tasks. */
export function begin(law: Template, tasks: readonly Task[]): Walk {
  const ledger = newLedger(law);
  const walk: Walk = { law, ledger, run: { status: "absent" }, events: [], tokens: [], last: null, minutes: 0 };
  send(walk, { type: "start", runId, templateHash: hash, session: "a" });
  send(walk, { type: "advance", output: "o1", session: "a" });
  send(walk, { type: "set-tasks", loop: "build", tasks, session: "a" });
  return walk;
}

export function step(walk: Walk, next: Act): void {
  pass(walk, next.wait);
  const command = commandFor(walk, next);
  if (command === null) receive(walk);
  else send(walk, command);
}

/** Only what somebody works on, and what waits for nobody, spends time. */
function pass(walk: Walk, minutes: number): void {
  const { run, ledger } = walk;
  walk.minutes += minutes;
  if (!isLive(run) || run.status === "paused") return;
  for (const visit of run.visits) {
    const listed = ledger.visits.get(visit.token);
    if (listed !== undefined && visit.claim !== null && !waits(run, visit)) listed.minutes += minutes;
  }
}

function send(walk: Walk, command: Command): Decision {
  const at = timeOf(walk);
  const before = deepFreeze(walk.run);
  const outputs = outputsIn(walk.events);
  const decision = decide(walk.law, before, command, at, outputs);
  expect(decide(walk.law, JSON.parse(JSON.stringify(before)), command, at, outputs)).toEqual(decision);
  expectHanded(walk.ledger, before, command, decision, (event) => add(walk, event));
  if (!decision.ok) return decision;
  expect(decision.run).toEqual(walk.run);
  if (command.type === "advance" && decision.events.length > 0) {
    walk.last = command;
    const again = decide(walk.law, walk.run, command, at, outputs);
    if (command.token !== undefined) expect(again).toMatchObject({ ok: true, events: [], replayed: {} });
  }
  expect(StartedRun.safeParse(walk.run).error).toBeUndefined();
  expectState(walk.ledger, walk.run, at);
  return decision;
}

function add(walk: Walk, event: RunEvent): void {
  expect(RunEvent.safeParse(event).error).toBeUndefined();
  expect(event.seq).toBe(walk.events.length + 1);
  record(walk.ledger, event);
  walk.run = evolve(deepFreeze(walk.run), event);
  walk.events.push(event);
  for (const token of walk.ledger.visits.keys()) if (!walk.tokens.includes(token)) walk.tokens.push(token);
}

/** The run comes back from another machine. */
function receive(walk: Walk): void {
  const [seq, at] = [walk.events.length + 1, timeOf(walk)];
  const event = { seq, at, type: "run-received", from: "origin", machine: "m", worktree: null, after: 0 } as const;
  add(walk, event);
  expectState(walk.ledger, walk.run, at);
}

/** Somebody who does everything that is left to do. What a person is asked is settled so that the work goes on. */
export function finish(walk: Walk): void {
  for (let count = 0; count < 500 && walk.run.status !== "complete"; count++) {
    const { run } = walk;
    const decision = send(walk, isLive(run) ? nextOf(walk, run, count) : { type: "reopen", by: "person" });
    const token = decision.ok || decision.refusal.code !== "review-needed" ? null : decision.refusal.token;
    if (token !== null) send(walk, { type: "open-review", token });
  }
}

/** Every third command comes from somebody without a session who was told the token. */
function nextOf({ law }: Walk, run: LiveRun, count: number): Command {
  if (run.status === "paused") return { type: "resume", by: "person" };
  const waiting = run.visits.find((visit) => waits(run, visit));
  if (waiting !== undefined) return settle(run, waiting, hasContinued(run, waiting) ? 3 : 0, true);
  const [first] = run.visits;
  const visit = run.visits.find(({ claim }) => claim?.session === "z") ?? first;
  if (visit === undefined) throw new Error("a live run has an open visit");
  const { place, claim } = visit;
  if (place.type === "sub-step" && claim !== undefined && claim?.session !== "z") {
    return { type: "claim", session: "z", task: place.task, expired: claim === null ? [] : [claim.number] };
  }
  const tasks = [{ id: "last", title: "The last one" }];
  return (
    workOn(law, visit, count % 3 === 0 ? undefined : "z", 0) ?? {
      type: "set-tasks",
      loop: place.step,
      tasks,
      session: "z",
    }
  );
}

function hasContinued(run: LiveRun, { reviewOf, spending, review }: Visit): boolean {
  return review !== null && ((reviewOf === "run" ? run.spending : spending)?.continues ?? 0) >= 5;
}

function timeOf({ minutes }: Walk): string {
  return new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString();
}

/** The latest output of each step, as the journal has it. */
function outputsIn(events: readonly RunEvent[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    events.flatMap((event) =>
      event.type === "visit-ended" || event.type === "visit-failed" ? [[event.place.step, event.output]] : [],
    ),
  );
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
