import { describe, expect, test } from "vitest";
import { decide } from "../../../src/engine/commands/decide.ts";
import { evolve } from "../../../src/engine/evolve/evolve.ts";
import type { Command } from "../../../src/model/command.ts";
import { wordRefusal } from "../../../src/model/refusal/refusal.ts";
import { isLive } from "../../../src/model/run-state.ts";
import { RunEvent } from "../../../src/model/schemas.ts";
import { drive, hash, open, runId, template } from "../drive.ts";

const threeSteps = `
steps:
  - { id: a, type: action, instructions: Do a }
  - { id: b, type: action, instructions: Do b }
  - { id: c, type: action, instructions: Do c }
`;
const at = "2026-01-01T00:00:00.000Z";
const start: Command = { type: "start", runId, templateHash: hash };

/** One command of each kind, as a caller might send it out of turn. */
const everyCommand: readonly Command[] = [
  { type: "advance", output: "late" },
  { type: "hand-out" },
  { type: "set-tasks", loop: "a", tasks: [] },
  { type: "report-gates", evidence: [] },
  { type: "request-approval" },
  { type: "approve", by: "ann" },
  { type: "reject", by: "ann", reason: "no" },
  { type: "count", turns: 1 },
  { type: "open-review" },
  { type: "review", verdict: "continue", by: "ann" },
  { type: "observe-context-action", action: "clear" },
  { type: "register-artefacts", paths: ["x.md"] },
  { type: "set-summary", summary: "late" },
  { type: "pause", by: "ann" },
  { type: "resume", by: "ann" },
  { type: "abort", by: "ann", reason: "no" },
  { type: "goto", step: "a", by: "ann", reason: "again" },
  { type: "adopt", templateHash: hash, by: "ann" },
];

describe("the start", () => {
  test("enters the first step and opens one visit with a token", () => {
    const driver = drive(threeSteps);
    expect(driver.status()).toMatchObject({ status: "running", step: "a", token: "a#1", workflow: "test" });
    expect(driver.events.map((event) => event.type)).toEqual(["run-started", "visit-entered"]);
  });

  test.each(everyCommand)("must come before $type", (command) => {
    expect(open(template(threeSteps)).no(command)).toBe("run-absent");
  });

  test("comes once: the second names the run and changes nothing", () => {
    const driver = drive(threeSteps).done();
    const before = driver.run;
    expect(driver.send({ ...start, summary: "another" })).toEqual({
      ok: false,
      refusal: { code: "run-exists", runId: "test-20260101_000000-ab12" },
    });
    expect(driver.run).toBe(before);
  });

  test("takes the template's variables, and those given with it over them", () => {
    const driver = open(template(`variables: { plan: 1, mode: fast }\n${threeSteps}`));
    driver.ok({ ...start, variables: { plan: 2, extra: true } });
    expect(driver.run).toMatchObject({ variables: { plan: 2, mode: "fast", extra: true } });
  });
});

describe("a token", () => {
  test("names the place, the visit and the attempt", () => {
    const driver = drive(`
loops: { build: [{ id: implement, instructions: I }, { id: verify, instructions: V }] }
steps:
  - { id: polish, type: ralph, n: 2, instructions: P }
  - { id: build, type: loop }
  - { id: judge, type: action, instructions: J, outcomes: { again: polish, good: next } }
`);
    const seen = [driver.visit().token];
    const note = () => seen.push(driver.visit().token);
    driver.done() && note();
    driver.done() && note();
    driver.ok({ type: "set-tasks", loop: "build", tasks: [{ id: "t2", title: "Two" }] }) && note();
    driver.ok({ type: "advance", output: "red", failed: true }) && note();
    driver.done() && note();
    driver.done() && note();
    driver.ok({ type: "advance", output: "", outcome: "again" }) && note();
    expect(seen).toEqual([
      "polish/1#1",
      "polish/2#1",
      "build#1",
      "build/t2/implement#1",
      "build/t2/implement#1~2",
      "build/t2/verify#1",
      "judge#1",
      "polish/1#2",
    ]);
  });

  test.each([
    ["a/b", "a%2Fb#1"],
    ["a#1", "a%231#1"],
    ["a~2", "a%7E2#1"],
    ["50%", "50%25#1"],
    ["a.b", "a.b#1"],
    ["a, b", "a, b#1"],
    ["größe 測試", "größe 測試#1"],
  ])("of the step %j is %j, and an advance finds it", (id, token) => {
    const driver = drive(`steps: [{ id: ${JSON.stringify(id)}, type: action, instructions: x }]`);
    expect(driver.visit().token).toBe(token);
    expect(driver.ok({ type: "advance", token, output: "" }).run.status).toBe("complete");
  });

  test("is never shared, and neither is an output's key, by ids that look like one another", () => {
    const driver = drive(`
loops: { l: [{ id: s, instructions: x }, { id: "b/s", instructions: x }, { id: "b.s", instructions: x }] }
steps:
  - { id: r, type: ralph, n: 2, instructions: x }
  - { id: r/1, type: action, instructions: x }
  - { id: r.1, type: action, instructions: x }
  - { id: r%2E1, type: action, instructions: x }
  - { id: r#1, type: action, instructions: x }
  - { id: l, type: loop }
  - { id: l.a.b, type: action, instructions: x }
`);
    const ids = ["a", "a/b", "a.b", "a%2Eb", "a#1", "a~2"];
    driver.ok({ type: "set-tasks", loop: "l", tasks: ids.map((id) => ({ id, title: id })) });
    while (driver.run.status === "running") driver.done();
    const ended = driver.events.filter((event) => event.type === "visit-ended");
    expect(ended.length).toBe(2 + 4 + 6 * 3 + 1);
    expect(new Set(ended.map((event) => event.token)).size).toBe(25);
    expect(new Set(ended.map((event) => event.key)).size).toBe(25);
    expect(ended.slice(0, 6).map((event) => event.key)).toEqual(["r.1", "r.2", "r/1", "r%2E1", "r%252E1", "r#1"]);
  });

  test("of the longest ids, all of reserved signs, still fits the stored format", () => {
    const long = "/".repeat(100);
    const driver = drive(`
loops: { ${JSON.stringify(long)}: [{ id: ${JSON.stringify(long)}, instructions: x }] }
steps: [{ id: ${JSON.stringify(long)}, type: loop }]
`);
    driver.ok({ type: "set-tasks", loop: long, tasks: [{ id: long, title: "x" }] });
    driver.ok({ type: "advance", output: "red", failed: true }).done();
    for (const event of driver.events) expect(RunEvent.safeParse(event).error).toBeUndefined();
  });
});

describe("the same advance again", () => {
  const first: Command = { type: "advance", token: "a#1", output: "done a" };

  test.each([
    ["at once", 0],
    ["two steps later", 1],
    ["after the end", 2],
  ])("%s is answered as before and changes nothing", (_, more) => {
    const driver = drive(threeSteps).ok(first);
    for (let n = 0; n < more; n++) driver.done();
    const before = driver.run;
    expect(driver.send(first)).toMatchObject({ ok: true, events: [], replayed: { token: "a#1", seq: 3 } });
    expect(driver.run).toBe(before);
    expect(driver.events[2]).toMatchObject({ seq: 3, type: "visit-ended", output: "done a" });
  });

  test("is answered while the run is paused", () => {
    const driver = drive(threeSteps).ok(first).ok({ type: "pause", by: "ann" });
    expect(driver.send(first)).toMatchObject({ ok: true, events: [], replayed: { token: "a#1" } });
  });

  test("is known by token, output, outcome and failed flag, not by who sends it or what else it sets", () => {
    const driver = drive(threeSteps).ok({ ...first, session: "one" });
    const again = driver.send({ ...first, session: "two", failed: false, variables: { x: 1 } });
    expect(again).toMatchObject({ ok: true, events: [], replayed: { token: "a#1" } });
    expect(driver.run).toMatchObject({ variables: {} });
  });

  test("is known for the last 32 advances, and stale after that", () => {
    const driver = drive("steps: [{ id: r, type: ralph, n: 99, instructions: x }]");
    const nth = (n: number): Command => ({ type: "advance", token: `r/${n}#1`, output: `pass ${n}` });
    for (let n = 1; n <= 32; n++) driver.ok(nth(n));
    expect(driver.send(nth(1))).toMatchObject({ ok: true, replayed: { token: "r/1#1" } });
    driver.ok(nth(33));
    expect(driver.send(nth(1))).toEqual({
      ok: false,
      refusal: { code: "step-stale", sent: "r/1#1", spent: false, open: ["r/34#1"] },
    });
    expect(driver.send(nth(2))).toMatchObject({ ok: true, replayed: { token: "r/2#1" } });
  });

  test("of a failed attempt is answered as before, and the attempt is not counted again", () => {
    const driver = drive("steps: [{ id: a, type: action, instructions: x, on_fail: retry, max_retries: 1 }]");
    const failed: Command = { type: "advance", token: "a#1", output: "red", failed: true };
    driver.ok(failed).ok(failed).ok(failed);
    expect(driver.visit()).toMatchObject({ token: "a#1~2", attempt: 2 });
  });
});

describe("a spent token with another payload", () => {
  const law = `
steps:
  - { id: a, type: action, instructions: x, outcomes: { up: next, down: next } }
  - { id: b, type: action, instructions: x }
`;
  test.each<[string, Partial<Command>]>([
    ["output", { output: "other" }],
    ["outcome", { outcome: "down" }],
    ["missing outcome", { outcome: undefined }],
    ["failed flag", { failed: true, outcome: undefined }],
  ])("(another %s) is refused with the visit that is open", (_, change) => {
    const sent = { type: "advance", token: "a#1", output: "done", outcome: "up" } as const;
    const driver = drive(law).ok(sent);
    const refusal = { code: "step-stale", sent: "a#1", spent: true, open: ["b#1"] } as const;
    expect(driver.send({ ...sent, ...change } as Command)).toEqual({ ok: false, refusal });
    expect(wordRefusal(refusal).message).toBe("the visit a#1 has already ended with a different result");
    expect(wordRefusal(refusal).next).toContain("b#1");
  });

  test("(failed where it had succeeded) is refused, with the same output and no outcome on either side", () => {
    const sent = { type: "advance", token: "a#1", output: "done" } as const;
    const driver = drive(threeSteps).ok(sent);
    expect(driver.no({ ...sent, failed: true })).toBe("step-stale");
  });

  test("that never was one is refused in the same way", () => {
    expect(drive(law).send({ type: "advance", token: "zzz", output: "" })).toEqual({
      ok: false,
      refusal: { code: "step-stale", sent: "zzz", spent: false, open: ["a#1"] },
    });
  });
});

describe("a session", () => {
  const aStarts = () => open(template(threeSteps)).ok({ ...start, session: "A" });
  const advance = (session: string, output = "done"): Command => ({ type: "advance", session, output });

  test("goes from visit to visit without sending a token", () => {
    const driver = aStarts().ok(advance("A")).ok(advance("A"));
    expect(driver.visit().token).toBe("c#1");
  });

  test("whose visit another session has ended is refused, even with the very same words", () => {
    const driver = aStarts().ok({ type: "hand-out", session: "B" }).ok(advance("A"));
    expect(driver.send(advance("B"))).toEqual({
      ok: false,
      refusal: { code: "step-stale", sent: "a#1", spent: true, open: ["b#1"], seat: true },
    });
    expect(driver.visit().token).toBe("b#1");
  });

  test("that is stale moves on when it asks what to do, and may advance then", () => {
    const driver = aStarts().ok({ type: "hand-out", session: "B" }).ok(advance("A"));
    driver.ok({ type: "hand-out", session: "B" }).ok(advance("B"));
    expect(driver.visit().token).toBe("c#1");
    expect(driver.no(advance("A"))).toBe("step-stale");
  });

  test("that was never given a visit means the only open one", () => {
    expect(aStarts().ok(advance("new")).visit().token).toBe("b#1");
  });

  test("that names a token means that visit, whatever it was given last", () => {
    const driver = aStarts().ok({ type: "hand-out", session: "B" }).ok(advance("A"));
    driver.ok({ type: "advance", session: "B", token: "b#1", output: "" });
    expect(driver.visit().token).toBe("c#1");
    expect(driver.ok(advance("B")).run.status).toBe("complete");
  });

  test("is stale after a person moved the run, until it asks", () => {
    const driver = aStarts().ok({ type: "goto", step: "c", by: "ann", reason: "skip" });
    expect(driver.no(advance("A"))).toBe("step-stale");
    driver.ok({ type: "hand-out", session: "A" }).ok(advance("A"));
    expect(driver.run.status).toBe("complete");
  });

  test("that asks twice is seated once", () => {
    const driver = aStarts().ok({ type: "hand-out", session: "B" });
    expect(driver.send({ type: "hand-out", session: "B" })).toMatchObject({ ok: true, events: [] });
  });

  test("asking with a token that is not open is told so", () => {
    expect(aStarts().no({ type: "hand-out", session: "B", token: "c#1" })).toBe("step-stale");
  });
});

describe("with several open visits", () => {
  const law = template(threeSteps);
  const entered = { at, type: "visit-entered", number: 1, action: null, note: null } as const;
  const two = () => {
    const { run } = drive(law);
    return evolve(run, { ...entered, seq: 3, token: "b#1", place: { type: "action", step: "b" }, session: "B" });
  };

  test("an advance that says neither token nor session is refused, and told which are open", () => {
    expect(decide(law, two(), { type: "advance", output: "" }, at)).toEqual({
      ok: false,
      refusal: { code: "visit-ambiguous", open: ["a#1", "b#1"] },
    });
  });

  test.each<[string, Partial<Command>, string]>([
    ["its token", { token: "a#1" }, "a#1"],
    ["its session", { session: "B" }, "b#1"],
  ])("%s says which is meant, and the other stays open", (_, aim, token) => {
    const decision = decide(law, two(), { type: "advance", output: "", ...aim } as Command, at);
    expect(decision.ok && decision.events[0]).toMatchObject({ type: "visit-ended", token });
    const open = decision.ok ? decision.events.reduce(evolve, two()) : two();
    expect(isLive(open) && open.visits.map((visit) => visit.token)).toContain(token === "a#1" ? "b#1" : "a#1");
  });
});

test("of two processes that advance the same version, the second is told on the new state", () => {
  const law = template(threeSteps);
  const { run } = drive(law);
  const one: Command = { type: "advance", token: "a#1", output: "from one" };
  const two: Command = { type: "advance", token: "a#1", output: "from two" };
  const won = decide(law, run, one, at);
  expect(decide(law, run, two, at).ok).toBe(true);
  if (!won.ok) throw new Error("the first must win");
  const after = won.events.reduce(evolve, run);
  expect(decide(law, after, two, at)).toMatchObject({ ok: false, refusal: { code: "step-stale", open: ["b#1"] } });
  expect(decide(law, after, one, at)).toMatchObject({ ok: true, events: [], replayed: { token: "a#1" } });
});

test("an advance may set variables and named artifacts, the later ones over the earlier", () => {
  const driver = drive(`variables: { size: 1 }\n${threeSteps}`);
  driver.ok({ type: "advance", output: "", variables: { size: 2 }, artifacts: { spec: "docs/a.md" } });
  driver.ok({
    type: "advance",
    output: "",
    variables: { mode: "slow" },
    artifacts: { spec: "docs/b.md", plan: "p.md" },
  });
  expect(driver.run).toMatchObject({
    variables: { size: 2, mode: "slow" },
    artifacts: { spec: "docs/b.md", plan: "p.md" },
  });
});

describe("after the end", () => {
  test.each(everyCommand)("$type is refused and nothing moves", (command) => {
    const driver = drive(threeSteps).done().done().done();
    const before = driver.run;
    const outputIgnored = command.type === "advance";
    expect(driver.send(command)).toEqual({
      ok: false,
      refusal: { code: "run-ended", status: "complete", outputIgnored },
    });
    expect(driver.run).toBe(before);
  });

  test("an advance is told that its output was ignored", () => {
    expect(wordRefusal({ code: "run-ended", status: "complete", outputIgnored: true }).message).toBe(
      "the run is complete; this output was not recorded",
    );
  });
});
