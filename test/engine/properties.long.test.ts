import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "../../src/engine/commands/decide.ts";
import { evolve, replay } from "../../src/engine/evolve/evolve.ts";
import { phaseIndex } from "../../src/engine/step-settings.ts";
import type { Command } from "../../src/model/command.ts";
import { type Run, StartedRun, type Visit } from "../../src/model/run.ts";
import { isLive } from "../../src/model/run-state.ts";
import { RunEvent } from "../../src/model/schemas.ts";
import type { Template } from "../../src/model/template.ts";
import { cases } from "../dose.ts";
import { template } from "./drive.ts";
import { commandFor, type Intent, intent } from "./random-command.ts";
import { randomTemplate } from "./random-template.ts";
import { expectTasksInTurn } from "./task-ledger.ts";

interface Walk {
  readonly law: Template;
  run: Run;
  readonly events: RunEvent[];
  readonly tokens: string[];
  last: Command | null;
  minutes: number;
}

function step(walk: Walk, next: Intent): void {
  walk.minutes += next.wait;
  const at = new Date(Date.UTC(2026, 0, 1) + walk.minutes * 60_000).toISOString();
  if (next.pick === 42) receive(walk, at);
  const command = commandFor(walk, next);
  const before = deepFreeze(walk.run);
  const wasEnded = before.status !== "absent" && !isLive(before);
  const outputs = outputsIn(walk.events);
  const decision = decide(walk.law, before, command, at, outputs);
  expect(decide(walk.law, JSON.parse(JSON.stringify(before)), command, at, outputs)).toEqual(decision);
  if (!decision.ok) {
    expect(Object.keys(decision)).toEqual(["ok", "refusal"]);
    return;
  }
  if (wasEnded && command.type !== "reopen") expect(decision.events).toEqual([]);
  for (const event of decision.events) {
    expect(RunEvent.safeParse(event).error).toBeUndefined();
    expect(event.seq).toBe(walk.events.length + 1);
    walk.run = evolve(deepFreeze(walk.run), event);
    walk.events.push(event);
    if (event.type === "visit-entered") walk.tokens.push(event.token);
    if (event.type === "visit-claimed") walk.tokens.push(event.as);
    if (event.type === "visit-failed" && event.retry !== null) walk.tokens.push(event.retry);
  }
  if (walk.run.status !== "absent") expect(StartedRun.safeParse(walk.run).error).toBeUndefined();
  expectReplayed(walk, command, at);
  expectHandedOutOnce(walk, command, before);
  expectQuestions(walk, command, before);
  expectInstructed(decision.events, before);
  expectDecided(walk, decision.events, before);
}

/** A visit that waits for a decision goes on only by a person, and no failure leads elsewhere more often than it may. */
function expectDecided({ run, law }: Walk, events: readonly RunEvent[], before: Run): void {
  if (!isLive(before)) return;
  const pending = before.visits.filter((visit) => visit.pending !== undefined).map(({ token }) => token);
  const moved = events.filter((event) => "token" in event && pending.includes(event.token ?? ""));
  const allowed = ["failure-decided", "visit-closed", "visit-taken", "instructions-taken"];
  expect(moved.filter(({ type }) => !allowed.includes(type) && !/^(context-action|usage|gates)-/.test(type))).toEqual(
    [],
  );
  if (!isLive(run)) return;
  if (run.visits.every((visit) => visit.pending !== undefined)) expect(run.status).not.toBe("running");
  for (const [key, taken] of Object.entries(run.jumps ?? {})) expect(taken).toBeLessThanOrEqual(retriesOf(law, key));
}

function retriesOf({ steps, loops = {} }: Template, key: string): number {
  const [step = "", subStep] = key.split("/");
  const found =
    subStep === undefined ? steps.find(({ id }) => id === step) : loops[step]?.find(({ id }) => id === subStep);
  return found?.max_retries ?? 3;
}

/** The latest output of each step, as the journal has it. */
function outputsIn(events: readonly RunEvent[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    events.flatMap((event) =>
      event.type === "visit-ended" || event.type === "visit-failed" ? [[event.place.step, event.output]] : [],
    ),
  );
}

/** No visit ends before its instructions were handed out, however it was opened; only a failure may. */
function expectInstructed(events: readonly RunEvent[], before: Run): void {
  if (!isLive(before)) return;
  const untaken = before.visits.filter((visit) => visit.untaken).map(({ token }) => token);
  const ended = events.flatMap((event) => (event.type === "visit-ended" ? [event.token] : []));
  expect(ended.filter((token) => untaken.includes(token))).toEqual([]);
}

/** The run goes to another machine and comes back, now and then. */
function receive(walk: Walk, at: string): void {
  if (!isLive(walk.run)) return;
  const seq = walk.events.length + 1;
  const event = RunEvent.parse({
    seq,
    at,
    type: "run-received",
    from: "origin",
    machine: "m",
    worktree: null,
    after: 0,
  });
  walk.run = evolve(deepFreeze(walk.run), event);
  walk.events.push(event);
  expect(isLive(walk.run) && walk.run.visits.filter(({ approval }) => approval === "given")).toEqual([]);
}

/** The very same advance, sent again at once, is answered again and changes nothing. */
function expectReplayed(walk: Walk, command: Command, at: string): void {
  if (command.type !== "advance" || command.token === undefined) return;
  const again = decide(walk.law, walk.run, command, at);
  expect(again).toMatchObject({ ok: true, events: [], replayed: { token: command.token } });
  walk.last = command;
}

/** A question belongs to an open visit, which does not end before the answer; few answers are kept, all of one phase. */
function expectQuestions({ run, law }: Walk, command: Command, before: Run): void {
  if (!isLive(run) || !isLive(before)) return;
  const open = run.questions.filter(({ answer }) => answer === null);
  expect(open.every(({ token }) => run.visits.some((visit) => visit.token === token))).toBe(true);
  expect(new Set(open.map(({ token }) => token)).size).toBe(open.length);
  if (open.length === run.visits.length) expect(run.status).not.toBe("running");
  const answered = run.questions.filter(({ answer }) => answer !== null);
  expect(answered.length).toBeLessThanOrEqual(8);
  const phases = new Set(answered.map(({ step }) => phaseIndex(law, step)));
  expect(phases.size).toBeLessThanOrEqual(1);
  const waiting = before.questions.flatMap(({ token, answer }) => (answer === null ? [token] : []));
  const isWaiting = ({ token }: Visit) => waiting.includes(token);
  if (command.type === "advance") expect(run.visits.filter(isWaiting)).toEqual(before.visits.filter(isWaiting));
}

function expectHandedOutOnce(walk: Walk, command: Command, before: Run): void {
  if (command.type !== "hand-out" || before.status !== "running") return;
  const isDue = ({ action, claim }: Visit) => action?.status === "due" && claim === undefined;
  const due = before.visits.filter(isDue).length;
  const left = isLive(walk.run) ? walk.run.visits.filter(isDue).length : 0;
  expect({ due, left }).toEqual({ due, left: 0 });
}

test("whatever is asked of a run, its state is its events and nothing is counted twice", () => {
  const statuses = new Set<string>();
  const dose = cases({ quick: 40, long: 1_700, soak: 30_000 }, fixedSeed);
  fc.assert(
    fc.property(randomTemplate, fc.array(intent, { minLength: 1, maxLength: 60 }), (law, intents) => {
      const walk = begin(law);
      for (const next of intents) {
        step(walk, next);
        statuses.add(walk.run.status);
      }
      expect(replay(walk.events)).toEqual(walk.run);
      expect(replay(JSON.parse(JSON.stringify(walk.events)))).toEqual(walk.run);
      expectNothingTwice(walk);
      expectBegunOnce(walk);
      expectUsage(walk);
      if (walk.run.status !== "absent") expectTasksInTurn(walk.law, walk.events, walk.run);
    }),
    dose,
  );
  if (dose.seed !== fixedSeed) return;
  expect([...statuses].sort()).toEqual(["aborted", "complete", "failed", "paused", "review", "running", "waiting"]);
});

/** The cases that are the same every time come to everything that is named here; random ones may leave something out. */
const fixedSeed = 21;

test("however often a person moves a run, each task of a loop is done in turn, once, and none is passed over", () => {
  const law = template(`
loops:
  one: [{ id: p, instructions: x }, { id: q, instructions: x, on_fail: skip }]
  two: [{ id: p, instructions: x, on_fail: skip, budget: { turns: 2 } }]
steps:
  - { id: a, type: action, instructions: x, outcomes: { o0: next, o1: two }, on_fail: skip }
  - { id: one, type: loop, on_fail: skip }
  - { id: two, type: loop, on_fail: skip }
  - { id: b, type: action, instructions: x, outcomes: { o0: a, o1: one, o2: two }, on_fail: retry }
`);
  const act = fc.constantFrom(
    ...(["advance", "advance", "advance", "advance", "advance", "fail", "tasks", "tasks"] as const),
    ...(["goto", "goto", "count", "review", "resume", "take", "take", "take"] as const),
  );
  const moves = fc.array(fc.record({ act, pick: fc.nat(99) }), { minLength: 80, maxLength: 100 });
  let offeredAgain = 0;
  const dose = cases({ quick: 12, long: 200, soak: 4_000 }, fixedSeed);
  fc.assert(
    fc.property(moves, (intents) => {
      const walk = begin(law);
      for (const { act, pick } of intents)
        step(walk, { act, pick, aim: "none", session: undefined, held: true, wait: 0 });
      if (walk.run.status !== "absent") offeredAgain += expectTasksInTurn(walk.law, walk.events, walk.run);
    }),
    dose,
  );
  if (dose.seed === fixedSeed) expect(offeredAgain).toBeGreaterThan(25);
});

function begin(law: Template): Walk {
  const walk: Walk = { law, run: { status: "absent" }, events: [], tokens: [], last: null, minutes: 0 };
  step(walk, { act: "start", aim: "none", session: "a", pick: 0, held: true, wait: 0 });
  return walk;
}

/** What the run says it has used is the sum of its records, and nothing of a transcript is counted twice. */
function expectUsage({ events, run }: Walk): void {
  const records = events.flatMap((event) => (event.type === "usage-recorded" ? [event] : []));
  if (run.status === "absent" || records.length === 0) return;
  const sum = (each: "turns" | "tokens" | "cost") => records.reduce((all, record) => all + (record[each] ?? 0), 0);
  expect(run.usage).toEqual({
    turns: sum("turns"),
    tokens: records.some(({ tokens }) => tokens !== undefined) ? sum("tokens") : null,
    cost: records.some(({ cost }) => cost !== undefined) ? expect.closeTo(sum("cost"), 6) : null,
  });
}

/** A command is begun at most once for each attempt at its visit, unless it may be repeated or a person has decided. */
function expectBegunOnce({ events, law }: Walk): void {
  const begun = new Set<string>();
  for (const event of events) {
    if (event.type === "failure-decided") begun.delete(event.token);
    if (event.type !== "command-started") continue;
    const step = law.steps.find(({ id }) => event.token.startsWith(`${id}#`));
    const own = step?.type === "loop" ? step.tasks : step;
    const mayRepeat = own !== undefined && "repeatable" in own && own.repeatable === true;
    if (!mayRepeat) expect([...begun]).not.toContain(event.token);
    begun.add(event.token);
  }
}

function expectNothingTwice({ events, tokens }: Walk): void {
  expect(new Set(tokens).size).toBe(tokens.length);
  const closed = events.flatMap((event) =>
    event.type === "visit-ended" || event.type === "visit-failed" || event.type === "visit-closed" ? [event.token] : [],
  );
  expect(new Set(closed).size).toBe(closed.length);
  const handed = events.flatMap((event) =>
    event.type === "context-action-handed-out" ? [event.token.replace(/~\d+(?=@|$)/, "")] : [],
  );
  expect(new Set(handed).size).toBe(handed.length);
  // A run ends once, and after that only a person who reopens it changes anything.
  for (const [index, { type }] of events.entries()) {
    const next = events[index + 1];
    if (["run-completed", "run-failed", "run-aborted"].includes(type) && next !== undefined) {
      expect({ type, next: next.type }).toEqual({ type, next: "run-reopened" });
    }
  }
  expect(events.filter(({ type }) => type === "run-completed").length).toBeLessThanOrEqual(1);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
