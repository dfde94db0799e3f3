import { describe, expect, test } from "vitest";
import { type Driver, drive } from "../drive.ts";

const law = (budget: string) => `
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: design, type: action, instructions: Design }
  - { id: work, type: action, instructions: Work, budget: ${budget} }
  - { id: end, type: action, instructions: End }
`;
const by = "ann";
const atWork = (budget: string) => drive(law(budget)).done().done();
const review = (verdict: "continue" | "pivot" | "escalate" | "abandon", feedback?: string) =>
  ({ type: "review", verdict, by, feedback }) as const;

/** A run whose visit has spent its turns. */
const spent = (budget = "{ turns: 2 }") => atWork(budget).ok({ type: "count", turns: 2 });

describe("a budget", () => {
  test("of turns is spent when they are reached", () => {
    const driver = atWork("{ turns: 2 }").ok({ type: "count", turns: 1 });
    expect(driver.run.status).toBe("running");
    driver.ok({ type: "count", turns: 1 });
    expect(driver.run.status).toBe("review");
    expect(driver.events.at(-1)).toMatchObject({ type: "review-opened", token: "work#1", spent: "turns" });
  });

  test("of tokens is spent when they are reached", () => {
    const driver = atWork("{ tokens: 1000 }").ok({ type: "count", turns: 9, tokens: 999 });
    expect(driver.run.status).toBe("running");
    driver.ok({ type: "count", tokens: 1 });
    expect(driver.events.at(-1)).toMatchObject({ type: "review-opened", spent: "tokens" });
  });

  test("of minutes is spent when they have passed, whoever looks first", () => {
    const driver = atWork("{ minutes: 30 }");
    driver.pass(29.9);
    expect(driver.send({ type: "open-review" })).toMatchObject({ ok: true, events: [] });
    driver.pass(0.1);
    expect(driver.send({ type: "advance", output: "" })).toEqual({
      ok: false,
      refusal: { code: "review-needed", token: "work#1", spent: "minutes" },
    });
    driver.ok({ type: "open-review" });
    expect(driver.run.status).toBe("review");
    expect(driver.events.at(-1)).toMatchObject({ type: "review-opened", spent: "minutes" });
  });

  test("of minutes is not spent by a clock that goes back", () => {
    const driver = atWork("{ minutes: 30 }");
    driver.pass(-600);
    expect(driver.send({ type: "open-review" })).toMatchObject({ ok: true, events: [] });
    expect(driver.done().visit().token).toBe("end#1");
  });

  test("counts from the entry into the visit, not from the start of the run", () => {
    const driver = drive(law("{ minutes: 30 }"));
    driver.pass(500);
    driver.done().done();
    driver.pass(29);
    expect(driver.done().visit().token).toBe("end#1");
  });

  test("begins anew with every visit of the step", () => {
    const driver = atWork("{ turns: 2 }").ok({ type: "count", turns: 1 });
    driver.ok({ type: "goto", step: "work", by, reason: "again" }).ok({ type: "count", turns: 1 });
    expect(driver.run.status).toBe("running");
  });

  test("of a loop step holds for each visit in it that has none of its own", () => {
    const driver = drive(`
loops: { build: [{ id: one, instructions: x, budget: { turns: 5 } }, { id: two, instructions: x }] }
steps: [{ id: build, type: loop, budget: { turns: 2 } }]
`);
    driver.ok({ type: "set-tasks", loop: "build", tasks: [{ id: "a", title: "A" }] }).ok({ type: "count", turns: 4 });
    expect(driver.run.status).toBe("running");
    driver.done().ok({ type: "count", turns: 2 });
    expect(driver.run.status).toBe("review");
  });

  test("that a step does not have is never spent, and what is used is recorded all the same", () => {
    const driver = drive(law("{ turns: 1 }")).ok({ type: "count", turns: 99, tokens: 99 });
    expect(driver.run.status).toBe("running");
    expect(driver.events.at(-1)).toMatchObject({ type: "usage-recorded", token: "plan#1", turns: 99, tokens: 99 });
  });

  test("is not spent while the run is paused, neither by turns nor by minutes", () => {
    const driver = atWork("{ turns: 1, minutes: 30 }");
    driver.pass(20);
    driver.ok({ type: "pause", by });
    driver.ok({ type: "count", turns: 1 });
    driver.pass(600);
    expect(driver.send({ type: "open-review" })).toMatchObject({ ok: true, events: [] });
    driver.ok({ type: "resume", by });
    driver.pass(9);
    expect(driver.send({ type: "open-review" })).toMatchObject({ ok: true, events: [] });
    driver.pass(1);
    expect(driver.ok({ type: "open-review" }).run.status).toBe("review");
  });

  test("of minutes is not spent while a person is awaited", () => {
    const driver = atWork("{ minutes: 30 }, gate: [{ approval: human }]").ok({ type: "request-approval" });
    driver.pass(600);
    expect(driver.send({ type: "open-review" })).toMatchObject({ ok: true, events: [] });
    expect(driver.no({ type: "advance", output: "" })).toBe("approval-needed");
    driver.ok({ type: "approve", by });
    driver.pass(29);
    expect(driver.done().visit().token).toBe("end#1");
  });
});

describe("in review", () => {
  test("nothing advances, not even a failure, until a person decides", () => {
    const driver = spent();
    const refusal = { code: "review-needed", token: "work#1", spent: "turns" };
    expect(driver.send({ type: "advance", output: "" })).toEqual({ ok: false, refusal });
    expect(driver.send({ type: "advance", output: "", failed: true })).toEqual({ ok: false, refusal });
    expect(driver.status()).toMatchObject({ status: "review", token: "work#1", phase: { status: "blocked" } });
    expect(driver.status().instructions).toContain("The budget of this step is spent.");
  });

  test("a loop that asks for its tasks takes none, until a person decides", () => {
    const driver = drive(`
loops: { build: [{ id: one, instructions: x }] }
steps: [{ id: build, type: loop, budget: { turns: 1, minutes: 30 } }]
`);
    const set = { type: "set-tasks", loop: "build", tasks: [{ id: "a", title: "A" }] } as const;
    driver.pass(30);
    const refusal = { code: "review-needed", token: "build#1", spent: "minutes" };
    expect(driver.send(set)).toEqual({ ok: false, refusal });
    driver.ok({ type: "open-review" });
    expect(driver.send(set)).toEqual({ ok: false, refusal });
    expect(driver.ok(review("continue")).ok(set).visit().token).toBe("build/a/one#1");
  });

  test("an agent that has not taken its instructions yet is told of the decision, and not to take them first", () => {
    const driver = atWork("{ minutes: 30 }").ok({ type: "goto", step: "work", by, reason: "again" });
    expect(driver.no({ type: "advance", output: "" })).toBe("instructions-not-taken");
    driver.pass(30);
    driver.ok({ type: "open-review" });
    expect(driver.no({ type: "advance", output: "" })).toBe("review-needed");
  });

  test("turns are recorded, but not counted further", () => {
    const driver = spent().ok({ type: "count", turns: 1 });
    expect(driver.visit().spending.turns).toBe(2);
    expect(driver.run).toMatchObject({ status: "review", usage: { turns: 3 } });
  });

  test("a decision records who decided what", () => {
    expect(spent().ok(review("continue", "  go on  ")).events.at(-1)).toMatchObject({
      type: "review-decided",
      token: "work#1",
      verdict: "continue",
      by,
      feedback: "go on",
    });
  });

  test.each(["continue", "pivot", "escalate", "abandon"] as const)(
    "%s is refused when no review is open",
    (verdict) => {
      expect(atWork("{ turns: 2 }").send(review(verdict))).toEqual({
        ok: false,
        refusal: { code: "review-not-open", token: "work#1" },
      });
    },
  );
});

describe("continue", () => {
  test("sets the counters back and keeps the visit", () => {
    const driver = atWork("{ turns: 2, tokens: 50, minutes: 30 }");
    driver.pass(10);
    driver.ok({ type: "count", turns: 2, tokens: 20 }).ok(review("continue"));
    expect(driver.run.status).toBe("running");
    expect(driver.visit()).toMatchObject({
      token: "work#1",
      spending: { turns: 0, tokens: 0, continues: 1 },
    });
    driver.pass(29);
    expect(driver.done().visit().token).toBe("end#1");
  });

  test("carries guidance to the agent when there is some", () => {
    const driver = spent().ok(review("continue", "use the cache"));
    expect(driver.status().instructions).toContain("A person reviewed the spent budget and said:\n> use the cache");
    expect(driver.done().status().instructions).not.toContain("cache");
  });

  test.each([undefined, "", "  \n "])("says nothing to the agent for the feedback %j", (feedback) => {
    expect(spent().ok(review("continue", feedback)).status().instructions).not.toContain("A person reviewed");
  });

  test("is accepted five times in a row, and the sixth is refused with the review still open", () => {
    const driver = spent();
    for (let n = 1; n <= 5; n++) {
      driver.ok(review("continue")).ok({ type: "count", turns: 2 });
      expect(driver.visit().spending.continues).toBe(n);
    }
    expect(driver.send(review("continue"))).toEqual({ ok: false, refusal: { code: "continue-refused", continues: 5 } });
    expect(driver.run.status).toBe("review");
    expect(driver.ok(review("abandon")).run.status).toBe("failed");
  });

  test("is counted across a retry of the visit", () => {
    const driver = spent("{ turns: 2 }, on_fail: retry");
    for (let n = 0; n < 5; n++) driver.ok(review("continue")).ok({ type: "count", turns: n < 4 ? 2 : 1 });
    driver.ok({ type: "advance", output: "red", failed: true }).ok({ type: "count", turns: 1 });
    expect(driver.no(review("continue"))).toBe("continue-refused");
  });

  test("begins its count anew with the next visit", () => {
    const driver = spent().ok(review("continue")).ok({ type: "count", turns: 2 });
    driver.ok({ type: "goto", step: "work", by, reason: "afresh" });
    expect(driver.visit().spending.continues).toBe(0);
  });
});

describe("pivot", () => {
  test("goes back to the first step of the run, with the feedback in its instructions", () => {
    const driver = spent().ok(review("pivot", "wrong library\nuse the other"));
    expect(driver.visit()).toMatchObject({ token: "plan#2", place: { step: "plan" } });
    expect(driver.run.status).toBe("running");
    expect(driver.status().instructions).toContain('\n**[BUDGET_PIVOT_FEEDBACK]:** "wrong library\\nuse the other"\n');
  });

  test("goes back to the step that pivot_to names", () => {
    const driver = spent("{ turns: 2, pivot_to: design }").ok(review("pivot", "smaller"));
    expect(driver.visit().token).toBe("design#2");
    expect(driver.status().instructions).toContain(`\n**[BUDGET_PIVOT_FEEDBACK]:** "smaller"\n`);
  });

  test("needs no feedback", () => {
    expect(spent().ok(review("pivot")).status().instructions).not.toContain("A person");
  });

  test("out of a loop means another plan: the run comes back to it for new tasks", () => {
    const driver = drive(`
loops: { build: [{ id: one, instructions: x, budget: { turns: 1 } }] }
steps: [{ id: plan, type: action, instructions: x }, { id: build, type: loop }]
`);
    const tasks = ["a", "b"].map((id) => ({ id, title: id }));
    driver.ok({ type: "set-tasks", loop: "build", tasks }).done().done().ok({ type: "count", turns: 1 });
    driver.ok(review("pivot", "again"));
    expect(driver.visit().token).toBe("plan#2");
    expect(driver.done().visit().token).toBe("build#2");
  });

  test("to a loop that asks for tasks tells the feedback there, and again with the first task", () => {
    const driver = drive(`
loops: { build: [{ id: one, instructions: x }] }
steps:
  - { id: build, type: loop }
  - { id: work, type: action, instructions: x, budget: { turns: 1 } }
`);
    const set = { type: "set-tasks", loop: "build", tasks: [{ id: "a", title: "A" }] } as const;
    driver.ok(set).done().ok({ type: "count", turns: 1 }).ok(review("pivot", "split it up"));
    expect(driver.status()).toMatchObject({ token: "build#2" });
    expect(driver.status().instructions).toMatch(/^\*\*\[BUDGET_PIVOT_FEEDBACK\]:\*\* "split it up"\n/);
    expect(driver.ok(set).status().instructions).toContain(`\n**[BUDGET_PIVOT_FEEDBACK]:** "split it up"\n`);
  });
});

describe("escalate", () => {
  const parked = (): Driver => spent().ok(review("escalate", "ask the owner"));

  test("parks the run with everything kept", () => {
    const driver = parked();
    expect(driver.run).toMatchObject({ status: "paused", reason: "ask the owner" });
    expect(driver.visit()).toMatchObject({ token: "work#1", spending: { turns: 2 } });
    expect(driver.no({ type: "advance", output: "" })).toBe("run-paused");
    expect(driver.no(review("continue"))).toBe("run-paused");
  });

  test("and resume brings the review back, to be decided", () => {
    const driver = parked().ok({ type: "resume", by });
    expect(driver.run.status).toBe("review");
    expect(driver.ok(review("continue")).done().visit().token).toBe("end#1");
  });
});

describe("abandon", () => {
  test.each([
    ["too dear", "Workflow failed at work: too dear"],
    [undefined, "Workflow failed at work: abandoned in review"],
  ])("fails the run, keeps everything, and says where and why (%j)", (feedback, text) => {
    const driver = spent().ok(review("abandon", feedback));
    expect(driver.run).toMatchObject({
      status: "failed",
      steps: { plan: { status: "done" }, design: { status: "done" } },
    });
    expect(driver.status().instructions).toBe(text);
    expect(driver.no({ type: "advance", output: "" })).toBe("run-ended");
  });
});
