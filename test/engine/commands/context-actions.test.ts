import { describe, expect, test } from "vitest";
import { dueAction } from "../../../src/engine/commands/context-actions.ts";
import { decide } from "../../../src/engine/commands/decide.ts";
import { replay } from "../../../src/engine/evolve/evolve.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { isLive } from "../../../src/model/run-state.ts";
import { type Driver, drive, hash, open, runId, template } from "../drive.ts";

const handOut = { type: "hand-out" } as const;
const tasks = (...ids: string[]) => ids.map((id) => ({ id, title: id }));

/** What the agent is asked for when it calls now; null when it gets its instructions. */
function call(driver: Driver, session?: string): string | null {
  const decision = driver.send({ ...handOut, session });
  if (!decision.ok) throw new Error(decision.refusal.code);
  const given = decision.events.find((event) => event.type === "context-action-handed-out");
  return given?.type === "context-action-handed-out" ? given.action : null;
}

/** Every visit to the end, with what the first and the second call at it get. */
function walk(driver: Driver): [string, string | null, string | null][] {
  const seen: [string, string | null, string | null][] = [];
  while (driver.run.status === "running") {
    seen.push([driver.visit().token, call(driver), call(driver)]);
    driver.done();
  }
  return seen;
}

describe("a visit's action is", () => {
  test("the step's own, handed out at the first call and never again", () => {
    const driver = drive(`
steps:
  - { id: clean, type: action, context: clear, instructions: x }
  - { id: short, type: action, context: compact, instructions: x }
  - { id: plain, type: action, instructions: x }
`);
    expect(walk(driver)).toEqual([
      ["clean#1", "clear", null],
      ["short#1", "compact", null],
      ["plain#1", null, null],
    ]);
  });

  test("due again with every ralph iteration", () => {
    expect(walk(drive("steps: [{ id: r, type: ralph, n: 3, context: compact, instructions: x }]"))).toEqual([
      ["r/1#1", "compact", null],
      ["r/2#1", "compact", null],
      ["r/3#1", "compact", null],
    ]);
  });

  test("the sub-step's, else the loop step's, for every task anew", () => {
    const driver = drive(`
loops: { work: [{ id: one, context: clear, instructions: x }, { id: two, instructions: x }] }
steps: [{ id: work, type: loop, context: compact }]
`);
    expect([driver.visit().token, call(driver), call(driver)]).toEqual(["work#1", "compact", null]);
    driver.ok({ type: "set-tasks", loop: "work", tasks: tasks("a", "b") });
    expect(walk(driver)).toEqual([
      ["work/a/one#1", "clear", null],
      ["work/a/two#1", "compact", null],
      ["work/b/one#1", "clear", null],
      ["work/b/two#1", "compact", null],
    ]);
  });

  test("none for the sub-steps beside one that has its own, where the loop step has none", () => {
    const driver = drive(`
loops: { work: [{ id: one, instructions: x }, { id: two, context: compact, instructions: x }] }
steps: [{ id: work, type: loop }]
`);
    driver.ok({ type: "set-tasks", loop: "work", tasks: tasks("a") });
    expect(walk(driver)).toEqual([
      ["work/a/one#1", null, null],
      ["work/a/two#1", "compact", null],
    ]);
  });

  test("there again when the run comes back to the step", () => {
    const driver = drive("steps: [{ id: a, type: action, context: clear, instructions: x }]");
    expect(call(driver)).toBe("clear");
    driver.ok({ type: "goto", step: "a", by: "ann", reason: "again" });
    expect([call(driver), call(driver)]).toEqual(["clear", null]);
  });
});

describe("a transition", () => {
  const law = `
transitions:
  - { from: plan, to: code, context: clear }
  - { from: code, to: plan, context: compact }
  - { from: code, to: own, context: clear }
  - { from: plan, to: plan, context: compact }
steps:
  - { id: plan, type: action, instructions: x, outcomes: { on: next, again: plan } }
  - { id: code, type: action, instructions: x, outcomes: { on: next, back: plan } }
  - { id: own, type: action, context: compact, instructions: x }
`;
  const answer = (outcome: string) => ({ type: "advance", output: "", outcome }) as const;

  test("gives its action to its own move only, in its own direction", () => {
    const driver = drive(law);
    expect(call(driver)).toBe(null);
    expect([call(driver.ok(answer("again"))), call(driver)]).toEqual(["compact", null]);
    expect([call(driver.ok(answer("on"))), call(driver)]).toEqual(["clear", null]);
    expect([call(driver.ok(answer("back"))), call(driver)]).toEqual(["compact", null]);
  });

  test("gives way to the step's own action", () => {
    expect(call(drive(law).ok(answer("on")).ok({ type: "take-instructions" }).ok(answer("on")))).toBe("compact");
  });

  test("counts for a person's goto as well", () => {
    const driver = drive(law).ok({ type: "goto", step: "code", by: "ann", reason: "skip the plan" });
    expect(call(driver)).toBe("clear");
  });

  test("does not repeat itself inside the step it leads to", () => {
    const driver = drive(`
transitions:
  - { from: a, to: r, context: clear }
  - { from: r, to: r, context: clear }
  - { from: r, to: work, context: compact }
  - { from: work, to: work, context: clear }
loops: { work: [{ id: one, instructions: x }, { id: two, instructions: x }] }
steps:
  - { id: a, type: action, instructions: x }
  - { id: r, type: ralph, n: 2, instructions: x }
  - { id: work, type: loop }
`);
    driver.ok({ type: "set-tasks", loop: "work", tasks: tasks("t", "u") });
    expect(walk(driver).map(([token, first]) => [token, first])).toEqual([
      ["a#1", null],
      ["r/1#1", "clear"],
      ["r/2#1", null],
      ["work/t/one#1", "compact"],
      ["work/t/two#1", null],
      ["work/u/one#1", null],
      ["work/u/two#1", null],
    ]);
  });

  test("into a loop that asks for its tasks is handed out there, and not again with the first task", () => {
    const driver = drive(`
transitions: [{ from: a, to: work, context: compact }]
loops: { work: [{ id: one, instructions: x }] }
steps: [{ id: a, type: action, instructions: x }, { id: work, type: loop }]
`).done();
    expect([driver.visit().token, call(driver)]).toEqual(["work#1", "compact"]);
    driver.ok({ type: "set-tasks", loop: "work", tasks: tasks("t") });
    expect([driver.visit().token, call(driver)]).toEqual(["work/t/one#1", null]);
  });
});

describe("exactly once", () => {
  const law = "steps: [{ id: a, type: action, context: clear, instructions: x, on_fail: retry }]";

  test("ten calls hand it out once", () => {
    const driver = drive(law);
    expect(Array.from({ length: 10 }, () => call(driver)).filter((action) => action !== null)).toEqual(["clear"]);
  });

  test("of two sessions the first that calls gets it, and the other gets the instructions", () => {
    const driver = open(template(law)).ok({ type: "start", runId, templateHash: hash, session: "a" });
    expect([call(driver, "b"), call(driver, "a"), call(driver, "b")]).toEqual(["clear", null, null]);
    expect(driver.events.find((event) => event.type === "context-action-handed-out")).toMatchObject({
      token: "a#1",
      session: "b",
    });
  });

  test("a crash before the hand-out still delivers it, once, from the journal alone", () => {
    const driver = drive(law);
    const back = replay(JSON.parse(JSON.stringify(driver.events)));
    expect(isLive(back) && back.visits.map(dueAction)).toEqual(["clear"]);
    call(driver);
    const later = replay(JSON.parse(JSON.stringify(driver.events)));
    expect(isLive(later) && later.visits.map(dueAction)).toEqual([null]);
  });

  test("looking never takes it", () => {
    const driver = drive(law);
    const before = driver.run;
    for (let n = 0; n < 3; n++) driver.status();
    expect(driver.run).toBe(before);
    expect(dueAction(driver.visit())).toBe("clear");
    expect(call(driver)).toBe("clear");
  });

  test("an advance that comes before the hand-out leaves it behind with its visit", () => {
    const driver = drive(`
steps: [{ id: a, type: action, context: clear, instructions: x }, { id: b, type: action, instructions: x }]
`).done();
    expect(call(driver)).toBe(null);
  });

  test("a repeated advance hands nothing out anew", () => {
    const driver = drive(`
steps: [{ id: a, type: action, instructions: x }, { id: b, type: action, context: clear, instructions: x }]
`);
    const advance = { type: "advance", token: "a#1", output: "" } as const;
    driver.ok(advance);
    expect(call(driver)).toBe("clear");
    expect(driver.ok(advance).visit().action).toEqual({ name: "clear", status: "handed-out" });
    expect(call(driver)).toBe(null);
  });

  test("a paused run keeps it until it is resumed", () => {
    const driver = drive(law).ok({ type: "pause", by: "ann" });
    expect(call(driver)).toBe(null);
    expect([call(driver.ok({ type: "resume", by: "ann" })), call(driver)]).toEqual(["clear", null]);
  });

  test("after completion there is none", () => {
    expect(drive(law).done().no(handOut)).toBe("run-ended");
  });
});

describe("when the host really compacts or clears", () => {
  const law = "steps: [{ id: a, type: action, context: clear, instructions: x }]";
  const observe = (action: "clear" | "compact") => ({ type: "observe-context-action", action }) as const;

  test("that is recorded beside the asking, once", () => {
    const driver = drive(law).ok(handOut).ok(observe("clear")).ok(observe("clear"));
    expect(driver.events.slice(2)).toMatchObject([
      { type: "context-action-handed-out", token: "a#1", action: "clear" },
      { type: "context-action-observed", token: "a#1", action: "clear" },
    ]);
    expect(driver.visit().action).toEqual({ name: "clear", status: "observed" });
    expect(call(driver)).toBe(null);
  });

  test("not, although that would have been seen, the first call after the asking records it, once", () => {
    const driver = open(template(law)).ok({ type: "start", runId, templateHash: hash, session: "a" });
    const watched = { ...handOut, session: "a", watched: true } as const;
    for (let n = 0; n < 3; n++) driver.ok(watched);
    expect(driver.events.slice(2)).toMatchObject([
      { type: "context-action-handed-out", token: "a#1", action: "clear", session: "a" },
      { type: "context-action-skipped", token: "a#1", action: "clear", session: "a" },
      { type: "instructions-taken", token: "a#1", session: "a" },
    ]);
  });

  test.each([
    ["nobody would have seen it", { session: "a" }],
    ["another session was asked for it", { session: "b", watched: true }],
  ])("not, and %s, nothing is recorded", (_when, caller) => {
    const driver = open(template(law)).ok({ type: "start", runId, templateHash: hash, session: "a" });
    driver.ok({ ...handOut, session: "a" }).ok({ ...handOut, ...caller });
    expect(driver.events.map(({ type }) => type)).not.toContain("context-action-skipped");
  });

  test("another action than the one asked for is not taken for it", () => {
    expect(drive(law).ok(handOut).send(observe("compact"))).toMatchObject({ ok: true, events: [] });
  });

  test("of its own accord, the action that is due stays due", () => {
    const driver = drive(law);
    expect(driver.send(observe("clear"))).toMatchObject({ ok: true, events: [] });
    expect(call(driver)).toBe("clear");
  });
});

describe("a visit ends only after its instructions were handed out", () => {
  const law = `
steps:
  - { id: a, type: action, instructions: x }
  - { id: b, type: action, context: clear, instructions: x }
  - { id: c, type: action, instructions: x, gate: [{ run: npm test }] }
`;
  const advance = { type: "advance", output: "done" } as const;
  const atB = () => drive(law).ok(advance);

  test("not by an advance in its place, before and after the context action is handed out", () => {
    const driver = atB();
    expect(driver.no(advance)).toBe("instructions-not-taken");
    expect(call(driver)).toBe("clear");
    expect(driver.no(advance)).toBe("instructions-not-taken");
    expect(driver.no({ ...advance, token: "b#1" })).toBe("instructions-not-taken");
    expect(call(driver)).toBe(null);
    expect(driver.ok(advance).visit().token).toBe("c#1");
  });

  test("before its gates are looked at", () => {
    const driver = atB().done().ok({ type: "goto", step: "c", by: "ann", reason: "again" });
    expect(driver.no(advance)).toBe("instructions-not-taken");
    expect(driver.ok({ type: "hand-out" }).no(advance)).toBe("gate-unchecked");
  });

  test("whoever takes them: any session, none, or a handoff", () => {
    expect(atB().ok({ type: "take-instructions", session: "s1" }).ok(advance).visit().token).toBe("c#1");
    expect(
      atB()
        .ok({ type: "take-instructions" })
        .ok({ ...advance, session: "s2" })
        .visit().token,
    ).toBe("c#1");
  });

  test("also when a person moved the run, or nobody read the reply that opened it", () => {
    const moved = drive(law).ok({ type: "goto", step: "a", by: "ann", reason: "again" });
    expect(moved.no(advance)).toBe("instructions-not-taken");
    const unread = drive("steps: [{ id: a, type: action, instructions: x }, { id: c, type: action, instructions: x }]");
    expect(unread.ok({ ...advance, undelivered: true }).no(advance)).toBe("instructions-not-taken");
  });

  test("but it may fail, and a repeated advance gets its first answer", () => {
    expect(atB().ok({ ...advance, failed: true }).run.status).toBe("waiting");
    const driver = drive(law).ok({ ...advance, token: "a#1" });
    expect(driver.send({ ...advance, token: "a#1" })).toMatchObject({ ok: true, replayed: { token: "a#1" } });
  });

  test("a visit that an older version opened counts as taken", () => {
    const { events } = atB();
    const older = events.map((event) => {
      const { untaken: _untaken, ...rest } = { untaken: undefined, ...event };
      return rest;
    });
    const run = replay(older as RunEvent[]);
    expect(decide(template(law), run, advance, "2026-01-01T00:00:00.000Z")).toMatchObject({ ok: true });
  });
});
