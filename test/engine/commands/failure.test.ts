import { describe, expect, test } from "vitest";
import { tasksOf } from "../../../src/engine/view/view.ts";
import { type Driver, drive } from "../drive.ts";

const fail = (output = "red") => ({ type: "advance", output, failed: true }) as const;

const action = (rest = "") => `
steps:
  - { id: work, type: action, instructions: Work${rest} }
  - { id: end, type: action, instructions: End }
`;
const ralph = (rest = "") => `
steps:
  - { id: work, type: ralph, n: 2, instructions: Work${rest} }
  - { id: end, type: action, instructions: End }
`;
const loop = (rest = "", step = "") => `
loops:
  work: [{ id: first, instructions: First${rest} }, { id: second, instructions: Second }]
steps:
  - { id: work, type: loop${step} }
  - { id: end, type: action, instructions: End }
`;
const inLoop = (rest = "", step = "") =>
  drive(loop(rest, step)).ok({
    type: "set-tasks",
    loop: "work",
    tasks: [
      { id: "a", title: "A" },
      { id: "b", title: "B" },
    ],
  });

function standing(driver: Driver): string[] {
  if (driver.run.status === "absent") throw new Error("absent");
  return tasksOf(driver.run, "work").map((task) => `${task.id} ${task.status}`);
}

describe("abort", () => {
  test.each<[string, () => Driver, string]>([
    ["can be asked of an action", () => drive(action(", on_fail: abort")), "work"],
    ["can be asked of a ralph step", () => drive(ralph(", on_fail: abort")).done(), "work.2"],
    ["can be asked of a sub-step", () => inLoop(", on_fail: abort"), "work.a.first"],
    ["can be asked of a loop without tasks", () => drive(loop("", ", on_fail: abort")), "work"],
  ])("%s: the run fails, and says where and why", (_, begin, where) => {
    const driver = begin().ok(fail("no luck"));
    expect(driver.run).toMatchObject({ status: "failed", steps: { work: { status: "failed" } } });
    expect(driver.status()).toMatchObject({ status: "failed", token: null });
    expect(driver.status().instructions).toBe(`Workflow failed at ${where}: no luck`);
  });

  test("of a sub-step marks its task failed and leaves the others pending", () => {
    expect(standing(inLoop(", on_fail: abort").ok(fail()))).toEqual(["a failed", "b pending"]);
  });

  test("without a reason still says where", () => {
    expect(drive(action(", on_fail: abort")).ok(fail("")).status().instructions).toBe("Workflow failed at work");
  });
});

describe("skip", () => {
  test.each([
    ["an action", action(", on_fail: skip")],
    ["a ralph step", ralph(", on_fail: skip")],
    ["a loop without tasks", loop("", ", on_fail: skip")],
  ])("on %s goes to the next step, and the step does not count as done", (_, law) => {
    const driver = drive(law).ok(fail());
    expect(driver.visit().token).toBe("end#1");
    expect(driver.run).toMatchObject({ status: "running", steps: { work: { status: "failed" } } });
  });

  test("on a sub-step marks the task failed and goes to the next task", () => {
    const driver = inLoop(", on_fail: skip").ok(fail());
    expect(driver.visit().token).toBe("work/b/first#1");
    expect(standing(driver)).toEqual(["a failed", "b in_progress"]);
    driver.done();
    expect(driver.status().progress).toMatchObject({ completedTasks: 0, totalTasks: 2 });
    driver.done();
    expect(standing(driver)).toEqual(["a failed", "b done"]);
  });

  test("on the last task goes to the next step", () => {
    const driver = inLoop(", on_fail: skip").ok(fail()).ok(fail());
    expect(driver.visit().token).toBe("end#1");
    expect(standing(driver)).toEqual(["a failed", "b failed"]);
  });

  test("on the last step of all completes the run", () => {
    const driver = drive("steps: [{ id: only, type: action, instructions: x, on_fail: skip }]").ok(fail());
    expect(driver.run).toMatchObject({ status: "complete", steps: { only: { status: "failed" } } });
  });
});

describe("retry", () => {
  test.each<[string, () => Driver, string]>([
    ["is what a sub-step does by default", () => inLoop(), "work/a/first#1"],
    ["does not follow the loop step's own on_fail", () => inLoop("", ", on_fail: skip"), "work/a/first#1"],
    ["can be asked of an action", () => drive(action(", on_fail: retry")), "work#1"],
    ["can be asked of a ralph step", () => drive(ralph(", on_fail: retry")).done(), "work/2#1"],
    ["can be asked of a loop without tasks", () => drive(loop("", ", on_fail: retry")), "work#1"],
  ])("%s: the same visit three times more, and then a person is asked", (_, begin, token) => {
    const driver = begin();
    const seen = [driver.visit().token];
    for (let n = 0; n < 3; n++) seen.push(driver.ok(fail(`red ${n}`)).visit().token);
    expect(seen).toEqual([token, `${token}~2`, `${token}~3`, `${token}~4`]);
    driver.ok(fail("red at last"));
    expect(driver.run.status).toBe("waiting");
    expect(driver.visit()).toMatchObject({ token: `${token}~5`, pending: { why: "failed", reason: "red at last" } });
  });

  test.each([
    [0, 1],
    [1, 2],
    [5, 6],
  ])("with max_retries %i fails for good at failure %i", (retries, failures) => {
    const driver = inLoop(`, max_retries: ${retries}`);
    for (let n = 1; n < failures; n++) expect(driver.ok(fail()).run.status).toBe("running");
    expect(driver.ok(fail()).run.status).toBe("waiting");
    expect(standing(driver)).toEqual(["a in_progress", "b pending"]);
  });

  test("that succeeds goes on as if nothing had been, and the next visit has all its retries", () => {
    const driver = inLoop(", max_retries: 1").ok(fail()).done().done();
    expect(driver.visit()).toMatchObject({ token: "work/b/first#1", attempt: 1 });
    expect(driver.ok(fail()).run.status).toBe("running");
    expect(standing(driver)).toEqual(["a done", "b in_progress"]);
  });

  test("tells the agent why the last attempt failed, quoted, and only the last", () => {
    const driver = inLoop().ok(fail("first reason")).ok(fail("two\nlines"));
    expect(driver.status().instructions).toContain("The last attempt failed for this reason:\n> two\n> lines");
    expect(driver.status().instructions).not.toContain("first reason");
    driver.done();
    expect(driver.status().instructions).not.toContain("two");
  });

  test("of a loop that asks for tasks is not held against its first task", () => {
    const driver = drive(loop("", ", on_fail: retry")).ok(fail("no list yet"));
    expect(driver.status().instructions).toContain("> no list yet");
    driver.ok({ type: "set-tasks", loop: "work", tasks: [{ id: "a", title: "A" }] });
    expect(driver.status().instructions).not.toContain("no list yet");
  });

  test("needs the new token: the old one is spent", () => {
    const driver = inLoop().ok(fail());
    expect(driver.send({ type: "advance", token: "work/a/first#1", output: "done" })).toEqual({
      ok: false,
      refusal: { code: "step-stale", sent: "work/a/first#1", spent: true, open: ["work/a/first#1~2"] },
    });
  });

  test("moves the session that failed on to the new attempt", () => {
    const driver = inLoop().ok({ type: "hand-out", session: "s" });
    driver.ok({ ...fail(), session: "s" }).ok({ type: "advance", session: "s", output: "done" });
    expect(driver.visit().token).toBe("work/a/second#1");
  });

  test("keeps what the visit has spent of its budget", () => {
    const driver = drive(action(", on_fail: retry, budget: { turns: 3, tokens: 100 }"));
    driver.ok({ type: "count", turns: 2, tokens: 50 }).ok(fail());
    expect(driver.visit().spending).toMatchObject({ turns: 2, tokens: 50 });
    driver.ok({ type: "count", turns: 1 });
    expect(driver.run.status).toBe("review");
  });

  test("keeps the context action that was handed out, and does not hand it out again", () => {
    const driver = drive(action(", on_fail: retry, context: clear")).ok({ type: "hand-out" }).ok(fail());
    expect(driver.visit().action).toEqual({ name: "clear", status: "handed-out" });
    expect(driver.send({ type: "hand-out" })).toMatchObject({ ok: true, events: [{ type: "instructions-taken" }] });
  });

  test("keeps a context action that is still due, for once", () => {
    const driver = drive(action(", on_fail: retry, context: clear")).ok(fail());
    expect(driver.visit().action).toEqual({ name: "clear", status: "due" });
    driver.ok({ type: "hand-out" }).ok(fail());
    expect(driver.events.filter((event) => event.type === "context-action-handed-out").length).toBe(1);
  });
});

test("a failure needs no gate to hold", () => {
  const driver = drive(action(", on_fail: skip, gate: [{ run: npm test }, { approval: human }]")).ok(fail());
  expect(driver.visit().token).toBe("end#1");
});

test("a failure leaves its words in the journal, under the key of its place", () => {
  const driver = inLoop().ok(fail("flaky"));
  expect(driver.events.at(-1)).toMatchObject({
    type: "visit-failed",
    token: "work/a/first#1",
    key: "work.a.first",
    output: "flaky",
    retry: "work/a/first#1~2",
  });
});
