import { describe, expect, test } from "vitest";
import { decide } from "../../../src/engine/commands/decide.ts";
import { drive, template } from "../drive.ts";

const law = (budget: string, rest = "") => `
budget: ${budget}
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: design, type: action, instructions: Design }
  - { id: work, type: action, instructions: Work${rest} }
`;
const by = "ann";
const review = (verdict: "continue" | "pivot" | "escalate" | "abandon", feedback?: string) =>
  ({ type: "review", verdict, by, feedback }) as const;

describe("a budget of the whole run", () => {
  test("of turns adds up over its visits", () => {
    const driver = drive(law("{ turns: 3 }")).ok({ type: "count", turns: 1 }).done().ok({ type: "count", turns: 1 });
    expect(driver.done().run.status).toBe("running");
    driver.ok({ type: "count", turns: 1 });
    expect(driver.events.at(-1)).toMatchObject({ type: "review-opened", token: "work#1", spent: "turns", of: "run" });
    expect(driver.status()).toMatchObject({ status: "review", review: { spent: "turns", of: "run" } });
    expect(driver.status().instructions).toContain("The budget of the whole run is spent.");
    expect(driver.send({ type: "advance", output: "" })).toEqual({
      ok: false,
      refusal: { code: "review-needed", token: "work#1", spent: "turns", of: "run" },
    });
  });

  test("of tokens and of money adds up over its agents", () => {
    const driver = drive(law("{ tokens: 1000, cost: 1 }"));
    for (let n = 0; n < 9; n++) driver.ok({ type: "count", session: `s${n}`, tokens: 50, cost: 0.1 });
    expect(driver.run).toMatchObject({ status: "running", usage: { turns: 0, tokens: 450, cost: 0.9 } });
    driver.ok({ type: "count", cost: 0.1 });
    expect(driver.events.at(-1)).toMatchObject({ type: "review-opened", spent: "cost", of: "run" });
  });

  test("of minutes is the time in which the run was running", () => {
    const driver = drive(law("{ minutes: 30 }", ", gate: [{ approval: human }]"));
    driver.pass(10);
    driver.done();
    driver.pass(10);
    driver.done().ok({ type: "request-approval" });
    driver.pass(600);
    driver.ok({ type: "approve", by });
    driver.pass(9);
    expect(driver.send({ type: "open-review" })).toMatchObject({ ok: true, events: [] });
    driver.pass(1);
    expect(driver.no({ type: "advance", output: "" })).toBe("review-needed");
    expect(driver.ok({ type: "open-review" }).events.at(-1)).toMatchObject({ spent: "minutes", of: "run" });
  });

  test("leaves the budget of a visit as it is, which is asked about first", () => {
    const driver = drive(law("{ turns: 9 }", ", budget: { turns: 2 }")).ok({ type: "count", turns: 7 }).done().done();
    driver.ok({ type: "count", turns: 2 });
    expect(driver.status().review).toEqual({ spent: "turns", of: "step" });
    driver.ok(review("continue"));
    expect(driver.visit().spending.turns).toBe(0);
    expect(driver.no({ type: "advance", output: "" })).toBe("review-needed");
    driver.ok({ type: "open-review" });
    expect(driver.status().review).toEqual({ spent: "turns", of: "run" });
  });

  test("is not spent while a person is awaited, but what is used then is known", () => {
    const driver = drive(law("{ tokens: 100 }")).ok({ type: "ask", question: "Which?" });
    driver.ok({ type: "count", turns: 1, tokens: 100 });
    expect(driver.run).toMatchObject({ status: "waiting", spending: { tokens: 0 }, usage: { turns: 1, tokens: 100 } });
    driver.ok({ type: "answer", answer: "this", by });
    expect(driver.done().visit().token).toBe("design#1");
  });

  test("keeps a command from being started", () => {
    const driver = drive(`
budget: { turns: 1 }
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: test, type: command, run: npm test }
`);
    driver.done();
    expect(driver.visit().place.type).toBe("command");
    driver.ok({ type: "count", turns: 1 });
    expect(driver.run.status).toBe("review");
    const start = { type: "start-command", runner: "1.1", interrupted: false } as const;
    expect(driver.no(start)).toBe("review-needed");
    expect(driver.ok(review("continue")).ok(start).visit().command?.runner).toBe("1.1");
  });
});

describe("about the budget of the whole run, a person", () => {
  const spent = (budget = "{ turns: 2 }") => drive(law(budget)).done().done().ok({ type: "count", turns: 2 });

  test("continues: the run counts from zero, at most five times in a row", () => {
    const driver = spent();
    for (let n = 1; n <= 5; n++) {
      driver.ok(review("continue", "go on"));
      expect(driver.run).toMatchObject({ status: "running", spending: { turns: 0, continues: n } });
      expect(driver.visit()).toMatchObject({ review: null, note: { text: "go on" } });
      expect(driver.visit()).not.toHaveProperty("reviewOf");
      driver.ok({ type: "count", turns: 2 });
    }
    expect(driver.send(review("continue"))).toEqual({ ok: false, refusal: { code: "continue-refused", continues: 5 } });
    expect(driver.run).toMatchObject({ usage: { turns: 12 } });
  });

  test("pivots to the step that it names, and the run counts from zero", () => {
    const driver = spent("{ turns: 2, pivot_to: design }").ok(review("pivot", "smaller"));
    expect(driver.visit().token).toBe("design#2");
    expect(driver.run).toMatchObject({ status: "running", spending: { turns: 0, continues: 0 } });
    expect(driver.done().visit().token).toBe("work#2");
  });

  test("escalates and finds it again, or abandons the run and reopens it", () => {
    const driver = spent().ok(review("escalate", "later"));
    expect(driver.ok({ type: "resume", by }).status().review).toEqual({ spent: "turns", of: "run" });
    expect(driver.ok(review("abandon")).run.status).toBe("failed");
    driver.ok({ type: "reopen", by });
    expect(driver.no({ type: "advance", output: "", failed: true })).toBe("review-needed");
    driver.ok({ type: "open-review" }).ok(review("continue"));
    expect(driver.done().run.status).toBe("complete");
  });
});

test("the clock of a run stands still between its end and its reopening", () => {
  const driver = drive(law("{ minutes: 30 }", ", on_fail: abort")).done().done();
  driver.pass(20);
  driver.ok({ type: "take-instructions" }).ok({ type: "advance", output: "no", failed: true });
  driver.pass(500);
  driver.ok({ type: "reopen", by });
  driver.pass(9);
  expect(driver.send({ type: "open-review" })).toMatchObject({ events: [] });
  driver.pass(1);
  expect(driver.ok({ type: "open-review" }).run.status).toBe("review");
});

test("a run whose new template has a budget counts from its adoption on", () => {
  const steps = "steps: [{ id: plan, type: action, instructions: Plan }]";
  const limited = template(`budget: { minutes: 30 }\n${steps}`);
  const { run } = drive(steps);
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString();
  const adopted = decide(limited, run, { type: "adopt", templateHash: "sha256:fedcba9876543210", by }, at(60));
  if (!adopted.ok) throw new Error(adopted.refusal.code);
  const look = (minute: number) => decide(limited, adopted.run, { type: "open-review" }, at(minute));
  expect(look(89)).toMatchObject({ ok: true, events: [] });
  expect(look(90)).toMatchObject({ ok: true, events: [{ type: "review-opened", spent: "minutes", of: "run" }] });
});

describe("usage", () => {
  test("that a host does not report stays unknown", () => {
    const driver = drive(law("{ turns: 9 }")).ok({ type: "count", turns: 1 });
    expect(driver.status().usage).toEqual({ turns: 1, tokens: null, cost: null });
  });

  test("is recorded for a session whose visit has ended, without a visit", () => {
    const driver = drive(law("{ turns: 9 }")).ok({ type: "take-instructions", session: "a" });
    driver.ok({ type: "goto", step: "work", by, reason: "on" }).ok({ type: "count", session: "a", tokens: 5 });
    expect(driver.run).toMatchObject({ usage: { tokens: 5 }, spending: { tokens: 5 } });
  });

  test("read from a transcript is counted once, whoever reads it again", () => {
    const driver = drive(law("{ turns: 9 }")).ok({ type: "take-instructions", session: "a" });
    const read = { from: 0, to: { bytes: 100, message: "m1" } };
    driver.ok({ type: "count", session: "a", turns: 1, tokens: 5, read });
    expect(driver.send({ type: "count", session: "a", tokens: 5, read })).toMatchObject({ ok: true, events: [] });
    driver.ok({ type: "count", session: "a", turns: 1, tokens: 5, cost: 1, read });
    expect(driver.status().usage).toEqual({ turns: 2, tokens: 5, cost: null });
    driver.ok({ type: "count", session: "a", tokens: 7, read: { from: 100, to: { bytes: 200 } } });
    expect(driver.status().usage).toEqual({ turns: 2, tokens: 12, cost: null });
  });
});
