import { describe, expect, test } from "vitest";
import type { Evidence } from "../../../src/model/recorded.ts";
import { drive } from "../drive.ts";

const law = `
steps:
  - { id: polish, type: ralph, n: 3, instructions: Improve it }
  - { id: ship, type: action, instructions: Ship }
`;

test("the same step comes n times, counted from 1, and then the next", () => {
  const driver = drive(law);
  const seen: unknown[] = [];
  while (driver.run.status === "running") {
    const { step, ralphIteration, ralphTotal } = driver.status();
    seen.push([step, ralphIteration, ralphTotal]);
    driver.done();
  }
  expect(seen).toEqual([
    ["polish", 1, 3],
    ["polish", 2, 3],
    ["polish", 3, 3],
    ["ship", undefined, undefined],
  ]);
});

test("the outputs are kept by step and iteration", () => {
  const driver = drive(law).done("one").done("two").done("three").done("out");
  const kept = driver.events.flatMap((event) => (event.type === "visit-ended" ? [[event.key, event.output]] : []));
  expect(kept).toEqual([
    ["polish.1", "one"],
    ["polish.2", "two"],
    ["polish.3", "three"],
    ["ship", "out"],
  ]);
});

test("the text of the first iteration differs from that of the later ones", () => {
  const driver = drive(law);
  const again = "This is the same task again: improve the result, do not skip it.";
  expect(driver.status().instructions).toContain("Improve it\n\n[Iteration 1 of 3]\n");
  expect(driver.status().instructions).not.toContain(again);
  driver.done();
  expect(driver.status().instructions).toContain(`Improve it\n\n[Iteration 2 of 3]\n${again}`);
  driver.done();
  expect(driver.status().instructions).toContain(`[Iteration 3 of 3]\n${again}`);
});

test("one iteration is enough where n is 1", () => {
  const driver = drive("steps: [{ id: once, type: ralph, n: 1, instructions: x }]");
  expect(driver.status().instructions).toContain("[Iteration 1 of 1]");
  expect(driver.done().run.status).toBe("complete");
});

test("reached by another step, and again by going back, it begins with iteration 1", () => {
  const driver = drive(`
steps:
  - { id: plan, type: action, instructions: x }
  - { id: polish, type: ralph, n: 2, instructions: x }
  - { id: judge, type: action, instructions: x, outcomes: { more: polish, good: next } }
`);
  driver.done();
  expect(driver.visit().token).toBe("polish/1#1");
  driver.done().done().ok({ type: "advance", output: "", outcome: "more" });
  expect(driver.visit().token).toBe("polish/1#2");
});

test("a step left in the middle by goto begins anew", () => {
  const driver = drive(law).done().ok({ type: "goto", step: "polish", by: "ann", reason: "again" });
  expect(driver.status()).toMatchObject({ ralphIteration: 1, token: "polish/1#2" });
});

describe("until", () => {
  const withChecks = `
steps:
  - id: polish
    type: ralph
    n: 3
    instructions: x
    until: [{ run: npm run lint }, { exists: report.md }]
  - { id: ship, type: action, instructions: x }
`;
  const seen = (...held: boolean[]): Evidence[] =>
    held.map((one, gate) => ({ gate, held: one, what: `check ${gate}` }));

  test("ends the step early when all its checks hold after an iteration", () => {
    const driver = drive(withChecks).ok({ type: "advance", output: "", until: seen(true, true) });
    expect(driver.visit().token).toBe("ship#1");
    expect(driver.run).toMatchObject({ steps: { polish: { status: "done" } } });
  });

  test.each<[string, Evidence[] | undefined]>([
    ["one does not hold", seen(true, false)],
    ["one was not checked", seen(true)],
    ["none was checked", undefined],
    ["one holds and, looked at again, does not", [...seen(true, true), { gate: 0, held: false, what: "again" }]],
  ])("lets the step go on when %s", (_, until) => {
    const driver = drive(withChecks).ok({ type: "advance", output: "", until });
    expect(driver.visit().token).toBe("polish/2#1");
  });

  test("never makes it longer than n", () => {
    const driver = drive(withChecks);
    for (let n = 0; n < 3; n++) driver.ok({ type: "advance", output: "", until: seen(false, false) });
    expect(driver.visit().token).toBe("ship#1");
  });

  test("leaves its evidence in the journal, apart from the gates'", () => {
    const driver = drive(`
steps: [{ id: r, type: ralph, n: 2, instructions: x, gate: [{ exists: a.md }], until: [{ run: npm test }] }]
`);
    const gate = { gate: 0, held: true, what: "a.md" };
    const until = { gate: 0, held: false, what: "npm test", exitCode: 1, tail: "1 failed", commit: "abc", dirty: true };
    driver.ok({ type: "advance", output: "", gates: [gate], until: [until] });
    const kept = driver.events.flatMap((event) =>
      event.type === "gates-checked" ? [[event.token, event.purpose, event.evidence]] : [],
    );
    expect(kept).toEqual([
      ["r/1#1", "gate", [gate]],
      ["r/1#1", "until", [until]],
    ]);
  });

  test("does not stand in for a gate of the iteration", () => {
    const driver = drive(`
steps: [{ id: r, type: ralph, n: 2, instructions: x, gate: [{ exists: a.md }], until: [{ run: npm test }] }]
`);
    expect(driver.no({ type: "advance", output: "", until: seen(true) })).toBe("gate-unchecked");
  });
});
