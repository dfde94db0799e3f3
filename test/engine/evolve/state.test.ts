import { describe, expect, test } from "vitest";
import { replay } from "../../../src/engine/evolve/evolve.ts";
import { StartedRun } from "../../../src/model/run.ts";
import { RunEvent } from "../../../src/model/schemas.ts";
import { type Driver, drive } from "../drive.ts";

const size = (driver: Driver) => JSON.stringify(driver.run).length;
const big = "x".repeat(10_000);

const longRuns = {
  ralph: () => drive("steps: [{ id: r, type: ralph, n: 301, instructions: x }]"),
  loop: () => {
    const driver = drive("loops: { l: [{ id: s, instructions: x }] }\nsteps: [{ id: l, type: loop }]");
    const tasks = Array.from({ length: 301 }, (_, n) => ({ id: `t${n}`, title: `Task ${n}` }));
    return driver.ok({ type: "set-tasks", loop: "l", tasks });
  },
};

describe.each(["ralph", "loop"] as const)("the state of a %s run", (kind) => {
  test("does not grow with the outputs of hundreds of advances", () => {
    const small = longRuns[kind]();
    const large = longRuns[kind]();
    for (let n = 0; n < 300; n++) {
      small.done("x");
      large.done(big);
    }
    // A fingerprint tells the length of its output, so the two differ by a few digits each.
    expect(size(large) - size(small)).toBeLessThan(32 * 5);
    expect(JSON.stringify(large.run)).not.toContain("xxxxxxxxxx");
  });

  test("does not grow with the number of advances either", () => {
    const driver = longRuns[kind]();
    for (let n = 0; n < 100; n++) driver.done(big);
    const early = size(driver);
    for (let n = 100; n < 300; n++) driver.done(big);
    expect(size(driver) - early).toBeLessThan(500);
  });
});

test("a failed attempt leaves a word in the state, not its whole output", () => {
  const driver = drive("steps: [{ id: a, type: action, instructions: x, on_fail: retry, max_retries: 100 }]");
  driver.ok({ type: "advance", output: big.repeat(10), failed: true });
  expect(size(driver)).toBeLessThan(5_000);
  expect(driver.status().instructions).toContain("The last attempt failed for this reason:\n> xxx");
});

test("the reason of a failed run is short in the state and whole in the journal", () => {
  const driver = drive("steps: [{ id: a, type: action, instructions: x, on_fail: abort }]");
  driver.ok({ type: "advance", output: big, failed: true });
  expect(size(driver)).toBeLessThan(2_000);
  expect(driver.events.find((event) => event.type === "visit-failed")).toMatchObject({ output: big });
});

test("the newest 32 spent visits and 64 seats are remembered, and no more", () => {
  const driver = drive("steps: [{ id: r, type: ralph, n: 1000, instructions: x }]");
  for (let n = 0; n < 200; n++) driver.ok({ type: "hand-out", session: `s${n}` }).done();
  if (driver.run.status === "absent") throw new Error("absent");
  expect(driver.run.spent.map((spent) => spent.token)).toEqual(Array.from({ length: 32 }, (_, n) => `r/${n + 169}#1`));
  expect(driver.run.seats.map((seat) => seat.session)).toEqual(Array.from({ length: 64 }, (_, n) => `s${n + 136}`));
});

test("a session that comes again keeps one seat", () => {
  const driver = drive("steps: [{ id: r, type: ralph, n: 1000, instructions: x }]");
  for (let n = 0; n < 100; n++) driver.ok({ type: "hand-out", session: n % 2 === 0 ? "a" : "b" }).done();
  expect(driver.run).toMatchObject({
    seats: [
      { session: "a", token: "r/99#1" },
      { session: "b", token: "r/100#1" },
    ],
  });
});

test.each(["toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "__defineGetter__"])(
  "a step or loop may be called %s, and the state keeps its shape",
  (name) => {
    const driver = drive(`
variables: { n: 1 }
loops: { ${name}: [{ id: ${name}, instructions: "{outputs.${name}}" }] }
steps:
  - { id: first, type: action, instructions: x, outcomes: { ${name}: ${name} } }
  - { id: ${name}, type: loop, phase: ${name} }
  - { id: last, type: action, instructions: x }
`);
    driver.ok({ type: "advance", output: "", outcome: name });
    expect(driver.status()).toMatchObject({ step: name, progress: { completedTasks: 0, totalTasks: 0 } });
    driver.ok({ type: "set-tasks", loop: name, tasks: [{ id: name, title: name }] });
    driver.done().ok({ type: "goto", step: name, by: "ann", reason: "again" });
    driver.ok({ type: "set-tasks", loop: name, tasks: [] }).done();
    expect(driver.run.status).toBe("complete");
    expect(StartedRun.safeParse(driver.run).error).toBeUndefined();
    for (const event of driver.events) expect(RunEvent.safeParse(event).error).toBeUndefined();
    expect(replay(JSON.parse(JSON.stringify(driver.events)))).toEqual(driver.run);
  },
);

test("an action may be called toString too", () => {
  const driver = drive("steps: [{ id: toString, type: action, instructions: x }]").done();
  expect(StartedRun.safeParse(driver.run).error).toBeUndefined();
  expect(driver.run).toMatchObject({ loops: {} });
});

describe("what people have told the agent", () => {
  const attempt = { type: "begin-attempt", token: "a#1", agent: "x", holdfast: "0" } as const;
  const told = () => {
    const driver = drive("steps: [{ id: a, type: action, instructions: x }]");
    for (const text of ["one", "two"]) driver.ok({ type: "tell", text, by: "mara" });
    return driver.ok(attempt).ok({ type: "tell", text: "three", by: "mara" });
  };

  test("is kept until the agent has answered", () => {
    const driver = told();
    expect(driver.run).toMatchObject({ messages: ["one", "two", "three"] });
    driver.ok({ type: "deliver-messages", token: "a#1", count: 2 });
    expect(driver.run).toMatchObject({ messages: ["three"] });
  });

  test("was passed on with the attempt in older journals", () => {
    const older = told().events.map((event) => {
      if (event.type !== "attempt-began") return event;
      const { told: _told, ...rest } = event;
      return rest;
    });
    expect(replay(older)).toMatchObject({ messages: ["three"] });
  });
});
