import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "../../src/engine/decide.ts";
import { evolve, replay } from "../../src/engine/evolve.ts";
import type { Command } from "../../src/model/command.ts";
import { RunEvent } from "../../src/model/event.ts";
import { isLive, type Run, StartedRun } from "../../src/model/run.ts";
import type { Template } from "../../src/model/template.ts";
import { hash, runId } from "./drive.ts";
import { randomTemplate } from "./random-template.ts";

/** What a caller might do next, before it is fitted to where the run stands: right, stale, repeated or out of order. */
const intent = fc.record({
  act: fc.constantFrom(
    ...["advance", "advance", "advance", "advance", "repeat", "hand-out", "hand-out", "tasks", "tasks", "fail"],
    ...["count", "review", "request", "approve", "reject", "report", "open-review", "pause", "resume", "goto"],
    ...["abort", "adopt", "start", "observe", "artefacts", "summary"],
  ),
  aim: fc.constantFrom("open", "open", "open", "none", "spent", "garbage"),
  session: fc.constantFrom(undefined, "a", "b"),
  pick: fc.nat(99),
  held: fc.boolean(),
  wait: fc.nat(3),
});
type Intent = typeof intent extends fc.Arbitrary<infer T> ? T : never;

interface Walk {
  readonly law: Template;
  run: Run;
  readonly events: RunEvent[];
  readonly tokens: string[];
  last: Command | null;
  minutes: number;
}

function fit(walk: Walk, { act, aim, session, pick, held }: Intent): Command {
  const open = isLive(walk.run) ? walk.run.visits[0] : undefined;
  const tokens = { open: open?.token, none: undefined, spent: walk.tokens[pick % (walk.tokens.length || 1)], garbage: "x#9" };
  const who = { token: tokens[aim], session };
  const step = walk.law.steps[pick % walk.law.steps.length]?.id ?? "";
  const here = walk.law.steps.find((each) => each.id === open?.place.step);
  const outcomes = here?.type === "action" && here.outcomes ? Object.keys(here.outcomes) : [];
  const evidence = [0, 1].map((gate) => ({ gate, held: held || pick % 3 > 0, what: "npm test" }));
  const by = "person";
  switch (act) {
    case "advance":
      return {
        ...{ type: "advance", ...who, output: `o${pick % 4}`, gates: evidence, until: evidence },
        outcome: pick % 9 === 0 ? "nope" : outcomes[pick % (outcomes.length || 1)],
      };
    case "repeat":
      return walk.last ?? { type: "hand-out", ...who };
    case "fail":
      return { type: "advance", ...who, output: "broken", failed: true };
    case "hand-out":
      return { type: "hand-out", ...who };
    case "tasks": {
      const loop = here?.type === "loop" && pick % 4 > 0 ? here.id : pick % 7 === 0 ? "__proto__" : step;
      const count = pick % 4;
      const id = (n: number) => (pick === 50 ? "same" : `t${pick % 5}.${n}`);
      const tasks = Array.from({ length: count }, (_, n) => ({ id: id(n), title: `Task ${n}` }));
      return { type: "set-tasks", loop, tasks, session };
    }
    case "count":
      return { type: "count", ...who, turns: 1 + (pick % 2) };
    case "review": {
      const verdict = (["continue", "continue", "pivot", "escalate", "abandon"] as const)[pick % 5] ?? "continue";
      return { type: "review", ...who, verdict, by, feedback: held ? "look again" : undefined };
    }
    case "request":
      return { type: "request-approval", ...who };
    case "approve":
      return { type: "approve", ...who, by };
    case "reject":
      return { type: "reject", ...who, by, reason: "no" };
    case "report":
      return { type: "report-gates", ...who, evidence };
    case "open-review":
      return { type: "open-review", ...who };
    case "observe":
      return { type: "observe-context-action", ...who, action: held ? "compact" : "clear" };
    case "pause":
    case "resume":
      return { type: act, by };
    case "goto":
      return { type: "goto", step: pick % 5 === 0 ? "nowhere" : step, by, reason: "elsewhere" };
    case "abort":
      return pick > 90 ? { type: "abort", by, reason: "enough" } : { type: "hand-out", ...who };
    case "adopt":
      return { type: "adopt", templateHash: held ? hash : "sha256:fedcba9876543210", by };
    case "artefacts":
      return { type: "register-artefacts", paths: [`docs/${pick % 5}.md`, "../out", "/etc/passwd"] };
    case "summary":
      return { type: "set-summary", summary: `about ${pick}` };
    default:
      return { type: "start", runId, templateHash: hash, session };
  }
}

function step(walk: Walk, next: Intent): void {
  walk.minutes += next.wait;
  const at = new Date(Date.UTC(2026, 0, 1) + walk.minutes * 60_000).toISOString();
  const command = fit(walk, next);
  const before = deepFreeze(walk.run);
  const wasEnded = before.status !== "absent" && !isLive(before);
  const decision = decide(walk.law, before, command, at);
  expect(decide(walk.law, JSON.parse(JSON.stringify(before)), command, at)).toEqual(decision);
  if (!decision.ok) {
    expect(Object.keys(decision)).toEqual(["ok", "refusal"]);
    return;
  }
  if (wasEnded) expect(decision.events).toEqual([]);
  for (const event of decision.events) {
    expect(RunEvent.safeParse(event).error).toBeUndefined();
    expect(event.seq).toBe(walk.events.length + 1);
    walk.run = evolve(deepFreeze(walk.run), event);
    walk.events.push(event);
    if (event.type === "visit-entered") walk.tokens.push(event.token);
    if (event.type === "visit-failed" && event.retry !== null) walk.tokens.push(event.retry);
  }
  if (walk.run.status !== "absent") expect(StartedRun.safeParse(walk.run).error).toBeUndefined();
  expectReplayed(walk, command, at);
  expectHandedOutOnce(walk, command, before);
}

/** The very same advance, sent again at once, is answered again and changes nothing. */
function expectReplayed(walk: Walk, command: Command, at: string): void {
  if (command.type !== "advance" || command.token === undefined) return;
  const again = decide(walk.law, walk.run, command, at);
  expect(again).toMatchObject({ ok: true, events: [], replayed: { token: command.token } });
  walk.last = command;
}

function expectHandedOutOnce(walk: Walk, command: Command, before: Run): void {
  if (command.type !== "hand-out" || before.status !== "running") return;
  const due = before.visits.filter((visit) => visit.action?.status === "due").length;
  const left = isLive(walk.run) ? walk.run.visits.filter((visit) => visit.action?.status === "due").length : 0;
  expect({ due, left }).toEqual({ due, left: 0 });
}

test("whatever is asked of a run, its state is its events and nothing is counted twice", () => {
  const statuses = new Set<string>();
  fc.assert(
    fc.property(randomTemplate, fc.array(intent, { minLength: 1, maxLength: 60 }), (law, intents) => {
      const walk: Walk = { law, run: { status: "absent" }, events: [], tokens: [], last: null, minutes: 0 };
      step(walk, { act: "start", aim: "none", session: "a", pick: 0, held: true, wait: 0 });
      for (const next of intents) {
        step(walk, next);
        statuses.add(walk.run.status);
      }
      expect(replay(walk.events)).toEqual(walk.run);
      expect(replay(JSON.parse(JSON.stringify(walk.events)))).toEqual(walk.run);
      expectNothingTwice(walk);
    }),
    { numRuns: 1500 },
  );
  expect([...statuses].sort()).toEqual(["aborted", "complete", "failed", "paused", "review", "running", "waiting"]);
});

function expectNothingTwice({ events, tokens }: Walk): void {
  expect(new Set(tokens).size).toBe(tokens.length);
  const closed = events.flatMap((event) =>
    event.type === "visit-ended" || event.type === "visit-failed" || event.type === "visit-closed" ? [event.token] : [],
  );
  expect(new Set(closed).size).toBe(closed.length);
  const handed = events.flatMap((event) =>
    event.type === "context-action-handed-out" ? [event.token.replace(/~\d+$/, "")] : [],
  );
  expect(new Set(handed).size).toBe(handed.length);
  const ends = events.filter((event) => ["run-completed", "run-failed", "run-aborted"].includes(event.type));
  expect(ends.length).toBeLessThanOrEqual(1);
  if (ends.length === 1) expect(events.at(-1)).toBe(ends[0]);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
