import { describe, expect, test } from "vitest";
import { tasksOf } from "../../../src/engine/view/view.ts";
import { wordRefusal } from "../../../src/model/refusal/refusal.ts";
import type { Task } from "../../../src/model/task.ts";
import { type Driver, drive } from "../drive.ts";

const law = `
loops:
  build:
    - { id: implement, instructions: "Implement {task.title}" }
    - { id: verify, instructions: Verify }
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: build, type: loop }
  - { id: ship, type: action, instructions: Ship, outcomes: { done: complete, more: build, replan: plan } }
`;

const tasks = (...ids: string[]): Task[] => ids.map((id) => ({ id, title: `Task ${id}` }));
const set = (...ids: string[]) => ({ type: "set-tasks", loop: "build", tasks: tasks(...ids) }) as const;
const goTo = (step: string) => ({ type: "goto", step, by: "ann", reason: "elsewhere" }) as const;

function standing(driver: Driver): string[] {
  if (driver.run.status === "absent") throw new Error("absent");
  return tasksOf(driver.run, "build").map((task) => `${task.id} ${task.status}`);
}

/** A run that stands at the loop and has no tasks yet. */
const atLoop = () => drive(law).done();

describe("tasks set at the loop", () => {
  test("put the first task in progress at its first sub-step, the others pending", () => {
    const driver = atLoop().ok(set("a", "b", "c"));
    expect(driver.visit().token).toBe("build/a/implement#1");
    expect(standing(driver)).toEqual(["a in_progress", "b pending", "c pending"]);
  });

  test("are gone over sub-step by sub-step, task by task, and then comes the next step", () => {
    const driver = atLoop().ok(set("a", "b"));
    const seen: string[] = [];
    while (driver.status().step === "build") {
      seen.push(`${driver.visit().token}: ${standing(driver).join(", ")}`);
      driver.done();
    }
    expect(seen).toEqual([
      "build/a/implement#1: a in_progress, b pending",
      "build/a/verify#1: a in_progress, b pending",
      "build/b/implement#1: a done, b in_progress",
      "build/b/verify#1: a done, b in_progress",
    ]);
    expect(driver.visit().token).toBe("ship#1");
    expect(standing(driver)).toEqual(["a done", "b done"]);
  });

  test("leave their outputs under loop, task and sub-step", () => {
    const driver = atLoop().ok(set("a")).done("coded").done("green");
    const kept = driver.events.flatMap((event) => (event.type === "visit-ended" ? [[event.key, event.output]] : []));
    expect(kept).toEqual([
      ["plan", "done"],
      ["build.a.implement", "coded"],
      ["build.a.verify", "green"],
    ]);
  });

  test("are a thousand as well as two", () => {
    const ids = Array.from({ length: 1000 }, (_, n) => `t${n}`);
    const driver = atLoop().ok(set(...ids));
    for (let n = 0; n < 1000; n++) {
      expect(driver.visit().place).toMatchObject({ index: n, task: `t${n}`, subStep: "implement" });
      driver.done().done();
    }
    expect(driver.visit().token).toBe("ship#1");
    expect(standing(driver)).toEqual(ids.map((id) => `${id} done`));
  });
});

test("a mark falls on its own task, on either side of the 256th", () => {
  const driver = drive(`
loops: { build: [{ id: only, instructions: x, on_fail: skip }] }
steps: [{ id: build, type: loop }, { id: end, type: action, instructions: x }]
`);
  driver.ok(set(...Array.from({ length: 600 }, (_, n) => `t${n}`)));
  const bad = [0, 254, 255, 256, 257, 511, 512, 599];
  for (let n = 0; n < 600; n++) driver.ok({ type: "advance", output: "", failed: bad.includes(n) });
  expect(standing(driver).flatMap((task, n) => (task.endsWith("failed") ? [n] : []))).toEqual(bad);
  expect(standing(driver).filter((task) => task.endsWith("done")).length).toBe(592);
});

describe("tasks set before the loop is reached", () => {
  test("start it on arrival", () => {
    const driver = drive(law).ok(set("a", "b"));
    expect(driver.visit().token).toBe("plan#1");
    expect(standing(driver)).toEqual(["a pending", "b pending"]);
    expect(driver.done().visit().token).toBe("build/a/implement#1");
  });

  test("replace those set before", () => {
    const driver = drive(law).ok(set("a", "b")).ok(set("c")).done();
    expect(standing(driver)).toEqual(["c in_progress"]);
  });
});

describe("an empty list", () => {
  test.each<[string, () => Driver]>([
    ["before arrival", () => drive(law).ok(set()).done()],
    ["at arrival", () => atLoop().ok(set())],
    ["in the place of an earlier list", () => drive(law).ok(set("a", "b")).ok(set()).done()],
  ])("%s skips the loop", (_, arrive) => {
    const driver = arrive();
    expect(driver.visit().token).toBe("ship#1");
    expect(driver.run).toMatchObject({ steps: { build: { status: "skipped" } } });
    expect(
      driver.events.filter((event) => event.type === "visit-entered").map((event) => event.place),
    ).not.toContainEqual(expect.objectContaining({ type: "sub-step" }));
  });

  test("at the last step completes the run", () => {
    const driver = drive(`
loops: { build: [{ id: only, instructions: x }] }
steps: [{ id: build, type: loop }]
`);
    expect(driver.ok(set()).run.status).toBe("complete");
  });

  test("of several loops in a row skips them all", () => {
    const driver = drive(`
loops: { one: [{ id: x, instructions: x }], two: [{ id: x, instructions: x }] }
steps:
  - { id: plan, type: action, instructions: x }
  - { id: one, type: loop }
  - { id: two, type: loop }
  - { id: end, type: action, instructions: x }
`);
    driver.ok({ type: "set-tasks", loop: "one", tasks: [] }).ok({ type: "set-tasks", loop: "two", tasks: [] });
    expect(driver.done().visit().token).toBe("end#1");
  });
});

test("advancing at a loop without tasks is refused with an instruction that names the loop", () => {
  const driver = atLoop();
  const decision = driver.send({ type: "advance", output: "done?" });
  expect(decision).toEqual({ ok: false, refusal: { code: "tasks-missing", loop: "build" } });
  expect(wordRefusal({ code: "tasks-missing", loop: "build" }).next).toContain(
    "set its tasks with `holdfast tasks build",
  );
  expect(driver.visit().token).toBe("build#1");
});

describe("tasks set in mid-loop", () => {
  const midway = () =>
    atLoop()
      .ok(set("a", "b", "c", "d"))
      .done()
      .done()
      .done();

  test("keep the finished tasks and the current one, and replace the pending ones", () => {
    const driver = midway();
    const before = driver.visit();
    driver.ok(set("x", "y"));
    expect(standing(driver)).toEqual(["a done", "b in_progress", "x pending", "y pending"]);
    expect(driver.visit()).toEqual(before);
    driver.done();
    expect(driver.visit().token).toBe("build/x/implement#1");
  });

  test("may repeat the kept ones: they are not done again", () => {
    const driver = midway().ok(set("a", "b", "x"));
    expect(standing(driver)).toEqual(["a done", "b in_progress", "x pending"]);
    driver.done().done().done();
    expect(driver.visit().token).toBe("ship#1");
    expect(standing(driver)).toEqual(["a done", "b done", "x done"]);
  });

  test.each(["a", "b"])("refuse the id of a kept task (%s) for other work", (id) => {
    const driver = midway();
    expect(driver.send({ type: "set-tasks", loop: "build", tasks: [...tasks("x"), { id, title: "Other" }] })).toEqual({
      ok: false,
      refusal: {
        code: "task-invalid",
        index: 1,
        problem: "its id belongs to a task that is finished or in progress; give new work a new id",
      },
    });
    expect(standing(driver)).toEqual(["a done", "b in_progress", "c pending", "d pending"]);
  });

  test("may be none: the loop ends after the current task", () => {
    const driver = midway().ok(set());
    expect(standing(driver)).toEqual(["a done", "b in_progress"]);
    expect(driver.done().visit().token).toBe("ship#1");
  });

  test("keep marks beyond the first 256", () => {
    const ids = Array.from({ length: 400 }, (_, n) => `t${n}`);
    const driver = drive(law)
      .ok(set(...ids))
      .done();
    for (let n = 0; n < 300 * 2; n++) driver.done();
    driver.ok(set("new"));
    expect(standing(driver).slice(298)).toEqual(["t298 done", "t299 done", "t300 in_progress", "new pending"]);
    expect(driver.status().progress).toMatchObject({ completedTasks: 300, totalTasks: 302 });
  });

  test("keep a failed task failed", () => {
    const driver = drive(`
loops: { build: [{ id: only, instructions: x, on_fail: skip }] }
steps: [{ id: build, type: loop }]
`);
    driver.ok(set("a", "b")).ok({ type: "advance", output: "red", failed: true }).ok(set("a", "c"));
    expect(standing(driver)).toEqual(["a failed", "b in_progress", "c pending"]);
  });
});

describe("after the loop", () => {
  const over = () => atLoop().ok(set("a")).done().done();

  test("setting tasks is refused", () => {
    expect(over().send(set("b"))).toEqual({ ok: false, refusal: { code: "loop-finished", loop: "build" } });
  });

  test("setting tasks is refused for a loop that was skipped", () => {
    expect(atLoop().ok(set()).no(set("b"))).toBe("loop-finished");
  });

  test("coming back asks for new tasks, and begins with none of the old marks", () => {
    const driver = over().ok({ type: "advance", output: "", outcome: "more" });
    expect(driver.visit()).toMatchObject({ token: "build#2", place: { type: "loop" } });
    expect(driver.no({ type: "advance", output: "" })).toBe("tasks-missing");
    driver.ok(set("a", "b"));
    expect(standing(driver)).toEqual(["a in_progress", "b pending"]);
    expect(driver.visit().token).toBe("build/a/implement#2");
  });

  test("new tasks may be set as soon as the run stands before it again", () => {
    const driver = over().ok({ type: "advance", output: "", outcome: "replan" }).ok(set("b"));
    expect(driver.visit().token).toBe("plan#2");
    expect(driver.done().visit().token).toBe("build/b/implement#2");
    expect(standing(driver)).toEqual(["b in_progress"]);
  });
});

describe("a loop left in the middle by goto", () => {
  const left = () =>
    atLoop()
      .ok(set("a", "b", "c"))
      .done()
      .done()
      .done()
      .ok(goTo("ship"));

  test("has its unfinished task pending again", () => {
    expect(standing(left())).toEqual(["a done", "b pending", "c pending"]);
  });

  test("goes on at that task, from its first sub-step, when the run comes back", () => {
    const driver = left().ok(goTo("build"));
    expect(driver.visit().token).toBe("build/b/implement#2");
    driver.done().done().done().done();
    expect(driver.visit().token).toBe("ship#2");
    expect(standing(driver)).toEqual(["a done", "b done", "c done"]);
  });

  test("takes new pending tasks meanwhile, and keeps the finished ones", () => {
    const driver = left().ok(set("x")).ok(goTo("build"));
    expect(standing(driver)).toEqual(["a done", "x in_progress"]);
    expect(driver.visit().token).toBe("build/x/implement#2");
  });

  test("and given no more tasks is not begun again", () => {
    const driver = left().ok(set()).ok(goTo("build"));
    expect(driver.visit().token).toBe("ship#2");
    expect(standing(driver)).toEqual(["a done"]);
  });
});

describe("what does not fit", () => {
  test.each(["nope", "plan", "constructor", "__proto__", "prototype", "toString", ""])(
    "the loop %j is refused by name",
    (loop) => {
      expect(atLoop().send({ type: "set-tasks", loop, tasks: tasks("a") })).toEqual({
        ok: false,
        refusal: { code: "loop-unknown", loop, known: ["build"] },
      });
    },
  );

  const bad = (...list: unknown[]) => list as Task[];
  const id = "the id must be text on one line, not empty, at most 100 characters";
  const title = "the title must be text on one line, not empty, at most 500 characters";
  const description = "the description must be text, at most 20,000 characters";
  const shape = "a task has only an id and a title, and optionally a description and depends_on";
  test.each<[string, Task[], number, string]>([
    ["an empty id", bad({ id: "", title: "x" }), 0, id],
    ["a blank id", bad({ id: "  ", title: "x" }), 0, id],
    ["a number as id", bad({ id: 1, title: "x" }), 0, id],
    ["no id", bad({ title: "x" }), 0, id],
    ["a line break in the id", bad({ id: "a\nb", title: "x" }), 0, id],
    ["an empty title", bad({ id: "a", title: "" }), 0, title],
    ["a blank title", bad({ id: "a", title: "\u2003 " }), 0, title],
    ["no title", bad({ id: "a" }), 0, title],
    ["a description that is no text", bad({ id: "a", title: "x", description: 5 }), 0, description],
    ["something that is no task", bad(null), 0, shape],
    ["text for a task", bad({ id: "a", title: "x" }, "b"), 1, shape],
    ["an unknown field", bad({ id: "a", title: "x", prio: 1 }), 0, shape],
    [
      "an id twice",
      bad({ id: "a", title: "x" }, { id: "b", title: "y" }, { id: "a", title: "z" }),
      2,
      'the id "a" occurs twice',
    ],
  ])("%s is refused, and none of the list is taken", (_, list, index, problem) => {
    const driver = atLoop();
    expect(driver.send({ type: "set-tasks", loop: "build", tasks: list })).toEqual({
      ok: false,
      refusal: { code: "task-invalid", index, problem },
    });
    expect(driver.visit().token).toBe("build#1");
  });

  test("ids that differ only in case, or that are names of JavaScript, are ids like any other", () => {
    const driver = atLoop().ok(set("a", "A", "__proto__", "constructor", "toString"));
    for (let n = 0; n < 5; n++) driver.done().done();
    expect(standing(driver)).toEqual(["a done", "A done", "__proto__ done", "constructor done", "toString done"]);
  });

  test("a paused run takes no tasks", () => {
    expect(atLoop().ok({ type: "pause", by: "ann" }).no(set("a"))).toBe("run-paused");
  });
});
