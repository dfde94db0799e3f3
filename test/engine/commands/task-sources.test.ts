import { describe, expect, test } from "vitest";
import { replay } from "../../../src/engine/evolve/evolve.ts";
import { type Driver, drive } from "../drive.ts";

const law = (source: string, rest = "", more = "") => `
loops:
  build: [{ id: code, instructions: "Do {task.title}" }]
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: build, type: loop, tasks: ${source}${rest} }
  - { id: end, type: action, instructions: End }
${more}`;
const file = "{ file: tasks.md }";
const command = "{ run: npm run list }";
const one = [{ id: "t1", title: "One" }];
const two = [...one, { id: "t2", title: "Two", description: "in detail" }];
const start = (interrupted = false) => ({ type: "start-command", runner: "1.1", interrupted }) as const;
const end = (tasks: readonly object[] | null, tail = "[2 to do, 0 done]") =>
  ({
    type: "end-command",
    runner: "1.1",
    cancelled: false,
    evidence: { gate: 0, what: "tasks from tasks.md", held: tasks !== null, tail },
    ...(tasks && { tasks: tasks as typeof two }),
  }) as const;
const at = (source: string, rest = "", more = "") => drive(law(source, rest, more)).done();
const typesOf = ({ events }: Driver) => events.map(({ type }) => type);

test("a loop with a source is carried out by Holdfast; the first task is left to take", () => {
  const driver = at(file);
  expect(driver.status()).toMatchObject({ step: "build", stepType: "command", agent: null, token: "build#1" });
  expect(driver.status().instructions).toContain("Holdfast takes the tasks from tasks.md.");
  driver.ok(end(two));
  expect(typesOf(driver).slice(-4)).toEqual(["command-ended", "tasks-set", "visit-closed", "visit-entered"]);
  expect(driver.visit()).toMatchObject({ token: "build/t1/code#1", untaken: true });
  expect(driver.status()).toMatchObject({ stepType: "loop", task: { title: "One", total: 2 } });
  expect(replay(driver.events)).toEqual(driver.run);
});

test("a command is begun before it runs, and never begun again by itself", () => {
  const driver = at(command);
  expect(driver.status().instructions).toContain("Holdfast gets the tasks from what `npm run list` prints.");
  expect(driver.no(end(two))).toBe("step-stale");
  driver.ok(start());
  expect(driver.no(start())).toBe("step-running");
  expect(driver.no({ type: "set-tasks", loop: "build", tasks: one })).toBe("step-running");
  driver.ok(start(true));
  expect(driver.visit()).toMatchObject({ pending: { why: "interrupted" } });
  expect(typesOf(driver).filter((type) => type === "command-started")).toHaveLength(1);
  driver.ok({ type: "decide", verdict: "retry", by: "ann" }).ok(start()).ok(end(two));
  expect(driver.visit().token).toBe("build/t1/code#1");
});

test("a command that may be repeated is begun again", () => {
  const driver = at("{ run: npm run list, repeatable: true }").ok(start()).ok(start(true)).ok(end(one));
  expect(driver.visit().token).toBe("build/t1/code#1");
});

test("an empty list skips the loop, and the journal says why", () => {
  const driver = at(file).ok(end([], "[no open task, 4 done]"));
  expect(driver.visit().token).toBe("end#1");
  expect(driver.events.filter(({ type }) => ["command-ended", "step-ended"].includes(type)).slice(-2)).toMatchObject([
    { evidence: { held: true, tail: "[no open task, 4 done]" } },
    { step: "build", status: "skipped" },
  ]);
});

describe("a source that fails", () => {
  test("asks a person, who can retry, skip or set the tasks", () => {
    const failed = () => at(file).ok(end(null, "there is no such file"));
    expect(failed().visit()).toMatchObject({
      pending: { why: "failed", reason: "tasks from tasks.md\nthere is no such file" },
    });
    expect(failed().no(end(two))).toBe("step-stale");
    expect(failed().no({ type: "set-tasks", loop: "build", tasks: one, session: "a" })).toBe("decision-needed");
    expect(failed().ok({ type: "decide", verdict: "retry", by: "ann" }).ok(end(two)).visit().token).toBe(
      "build/t1/code#1",
    );
    expect(failed().ok({ type: "decide", verdict: "skip", by: "ann" }).visit().token).toBe("end#1");
    const byHand = failed().ok({ type: "set-tasks", loop: "build", tasks: one, person: { by: "ann" } });
    expect(byHand.visit()).toMatchObject({ token: "build/t1/code#1", untaken: true });
    expect(byHand.events).toContainEqual(expect.objectContaining({ type: "failure-decided", by: "ann" }));
    expect(replay(byHand.events)).toEqual(byHand.run);
  });

  test("does what on_fail says", () => {
    expect(at(file, ", on_fail: abort").ok(end(null)).run.status).toBe("failed");
    expect(at(file, ", on_fail: skip").ok(end(null)).visit().token).toBe("end#1");
    expect(at(file, ", on_fail: { go_to: plan }").ok(end(null)).visit().token).toBe("plan#2");
    const retried = at(file, ", on_fail: retry, max_retries: 1").ok(end(null));
    expect(retried.visit().token).toBe("build#1~2");
    expect(retried.ok(end(null)).run.status).toBe("waiting");
  });

  test.each([
    [[...one, ...one], 'task 2: the id "t1" occurs twice'],
    [[{ id: "a", title: "x".repeat(501) }], "task 1: the title must be text on one line"],
    [[{ id: "a", title: "A", description: 5 }], "task 1: the description must be text"],
  ])("fails, too, with tasks that could not be set (%#)", (tasks, why) => {
    expect(at(file).ok(end(tasks)).visit().pending?.reason).toContain(why);
  });
});

describe("tasks that are set by hand", () => {
  test("before the loop is reached win: the source is not asked", () => {
    const driver = drive(law(file)).ok({ type: "set-tasks", loop: "build", tasks: one }).done();
    expect(driver.visit().token).toBe("build/t1/code#1");
  });

  test("at the loop win, and in the middle replace those that are left", () => {
    expect(at(file).ok({ type: "set-tasks", loop: "build", tasks: one }).visit().token).toBe("build/t1/code#1");
    const driver = at(file).ok(end(two)).ok({ type: "hand-out" });
    driver.ok({ type: "set-tasks", loop: "build", tasks: [{ id: "t9", title: "Nine" }] }).done();
    expect(driver.visit().token).toBe("build/t9/code#1");
  });
});

test("a loop that is finished asks its source again when the run comes back to it", () => {
  const driver = at(file).ok(end(one)).ok({ type: "hand-out" }).done();
  driver.ok({ type: "goto", step: "build", by: "ann", reason: "again" });
  expect(driver.visit()).toMatchObject({ token: "build#2", place: { type: "command" } });
  expect(driver.ok(end(two)).visit().token).toBe("build/t1/code#2");
});

test("settings of the loop are for its tasks, not for getting them", () => {
  const driver = at(
    file,
    ", agent: coder, context: compact, budget: { turns: 1 }",
    "agents: { coder: { description: codes } }",
  );
  expect(driver.visit().action).toBeNull();
  expect(driver.status()).toMatchObject({ agent: null, delegate: false });
  driver.ok({ type: "count", turns: 3 });
  expect(driver.ok(end(one)).visit()).toMatchObject({ action: { name: "compact" }, review: null });
  expect(driver.status()).toMatchObject({ agent: "coder" });
});

test("the context action of the transition to the loop is asked for before the first task", () => {
  const moves = "transitions: [{ from: plan, to: build, context: clear }]";
  expect(at(file, "", moves).ok(end(one)).visit().action).toEqual({ name: "clear", status: "due" });
  const asked = at(file, "", moves).ok({ type: "hand-out" }).ok(end(one));
  expect(asked.visit().action).toBeNull();
});

test("nothing is taken while the run is paused, nor after it has moved on", () => {
  const driver = at(file).ok({ type: "pause", by: "ann" });
  expect(driver.no(end(one))).toBe("run-paused");
  driver.ok({ type: "resume", by: "ann" }).ok({ type: "goto", step: "end", by: "ann", reason: "later" });
  expect(driver.no({ ...end(one), token: "build#1" })).toBe("step-stale");
});
