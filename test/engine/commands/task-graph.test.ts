import { describe, expect, test } from "vitest";
import { tasksOf } from "../../../src/engine/view/view.ts";
import type { Task } from "../../../src/model/task.ts";
import { type Driver, drive } from "../drive.ts";

const law = `
loops:
  build:
    - { id: do, instructions: "Do {task.title}", on_fail: skip }
steps:
  - { id: build, type: loop }
  - { id: ship, type: action, instructions: Ship }
`;

/** `c: a b` is a task c that depends on a and b. */
function list(...lines: string[]): Task[] {
  return lines.map((line) => {
    const [id = "", before = ""] = line.split(": ");
    return { id, title: `Task ${id}`, ...(before !== "" && { depends_on: before.split(" ") }) };
  });
}

const set = (...lines: string[]) => ({ type: "set-tasks", loop: "build", tasks: list(...lines) }) as const;
const fail = { type: "advance", output: "no paint", failed: true } as const;

/** Works through the loop and gives the tasks in the order in which they were worked on. */
function order(driver: Driver): string[] {
  const seen: string[] = [];
  for (let place = driver.visit().place; place.type === "sub-step"; place = driver.visit().place) {
    seen.push(place.task);
    driver.done();
  }
  return seen;
}

function standing({ run }: Driver): string[] {
  return run.status === "absent" ? [] : tasksOf(run, "build").map((task) => `${task.id} ${task.status}`);
}

describe("a task comes after those that it depends on,", () => {
  test.each<[string, string[], string]>([
    ["also if it stands before them", ["c: a b", "a", "b"], "a b c"],
    ["and otherwise in the order of the list", ["d: a", "c", "a", "b: c"], "c a d b"],
    ["along a chain that is listed backwards", ["d: c", "c: b", "b: a", "a"], "a b c d"],
    ["if two wait for the same one", ["x: z", "y: z", "z"], "z x y"],
    ["if it names one twice", ["b: a a", "a"], "a b"],
  ])("%s", (_, lines, expected) => {
    expect(order(drive(law).ok(set(...lines))).join(" ")).toBe(expected);
  });
});

describe("a list is refused whose tasks", () => {
  test.each<[string, string[], number, string]>([
    ["depend on each other", ["a: b", "b: a"], 0, 'the tasks depend on each other in a circle: "a", "b", "a"'],
    ["depend on themselves", ["x", "a: a"], 1, 'the tasks depend on each other in a circle: "a", "a"'],
    [
      "wait for a circle further on",
      ["d: a", "a: b", "b: c", "c: a"],
      1,
      'the tasks depend on each other in a circle: "a", "b", "c", "a"',
    ],
    ["depend on one that is not there", ["a", "b: z"], 1, 'depends_on names "z", which is none of the tasks'],
  ])("%s", (_, lines, index, problem) => {
    const driver = drive(law);
    expect(driver.send(set(...lines))).toEqual({ ok: false, refusal: { code: "task-invalid", index, problem } });
    expect(driver.visit().token).toBe("build#1");
  });
});

test("what depends on a failed task is skipped, with what depends on that, and the rest is done", () => {
  const driver = drive(law).ok(set("a", "b: a", "c: b", "d", "e: d"));
  driver.ok(fail);
  expect(standing(driver)).toEqual(["a failed", "b skipped", "c skipped", "d in_progress", "e pending"]);
  const skipped = driver.events.flatMap((event) =>
    event.type === "task-ended" && event.status === "skipped" ? [`${event.task} because of ${event.because}`] : [],
  );
  expect(skipped).toEqual(["b because of a", "c because of b"]);
  expect(order(driver)).toEqual(["d", "e"]);
  expect(driver.status().step).toBe("ship");
});

test("a task that is set in the middle of the loop and depends on a failed one is skipped at once", () => {
  const driver = drive(law)
    .ok(set("a", "b"))
    .ok(fail)
    .ok(set("b", "c: a", "d: c", "e"));
  expect(standing(driver)).toEqual(["a failed", "b in_progress", "c skipped", "d skipped", "e pending"]);
});

test("a task that is set in the middle of the loop may depend on one that is done", () => {
  const driver = drive(law).ok(set("a", "b")).done().ok(set("c: a b"));
  expect(order(driver)).toEqual(["b", "c"]);
});
