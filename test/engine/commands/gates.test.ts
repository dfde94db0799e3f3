import { describe, expect, test } from "vitest";
import type { Evidence } from "../../../src/model/recorded.ts";
import { wordRefusal } from "../../../src/model/refusal/refusal.ts";
import { drive } from "../drive.ts";

const held = (...gates: number[]): Evidence[] => gates.map((gate) => ({ gate, held: true, what: `gate ${gate}` }));
const broken = (gate: number, more: Partial<Evidence> = {}): Evidence => ({
  gate,
  held: false,
  what: `gate ${gate}`,
  ...more,
});
const advance = (gates?: Evidence[]) => ({ type: "advance", output: "done", gates }) as const;
const by = "ann";

describe("gates that a machine checks", () => {
  const law = `
steps:
  - { id: work, type: action, instructions: x, gate: [{ run: npm test }, { exists: docs/plan.md }] }
  - { id: end, type: action, instructions: x }
`;

  test.each<[string, Evidence[] | undefined, number[]]>([
    ["without any evidence", undefined, [0, 1]],
    ["with an empty list", [], [0, 1]],
    ["with evidence of one only", held(0), [1]],
    ["with evidence of another gate", held(0, 7), [1]],
  ])("fail closed %s", (_, evidence, gates) => {
    const driver = drive(law);
    expect(driver.send(advance(evidence))).toEqual({ ok: false, refusal: { code: "gate-unchecked", gates } });
    expect(driver.visit().token).toBe("work#1");
  });

  test("let the visit end when all of them hold", () => {
    expect(
      drive(law)
        .ok(advance(held(0, 1)))
        .visit().token,
    ).toBe("end#1");
  });

  test("refuse with the command, the exit code and the tail when one does not hold", () => {
    const evidence = broken(0, { what: "npm test", exitCode: 1, tail: "2 failed" });
    const refusal = { code: "gate-failed", gate: 0, what: "npm test", exitCode: 1, tail: "2 failed" } as const;
    expect(drive(law).send(advance([evidence, ...held(1)]))).toEqual({ ok: false, refusal });
    const { message } = wordRefusal(refusal);
    expect(message).toContain("the gate failed: npm test (exit 1)\n");
    expect(message).toContain("2 failed");
  });

  test("do not hold when two findings about one of them differ", () => {
    expect(drive(law).no(advance([...held(0, 1), broken(1)]))).toBe("gate-failed");
  });

  test("hold for one advance only: the next visit of the step is checked anew", () => {
    const driver = drive(law)
      .ok(advance(held(0, 1)))
      .ok({ type: "goto", step: "work", by, reason: "again" })
      .ok({ type: "take-instructions" });
    expect(driver.no(advance())).toBe("gate-unchecked");
  });

  test("accept the same token once they hold", () => {
    const driver = drive(law);
    driver.no({ ...advance([broken(0)]), token: "work#1" });
    expect(driver.ok({ ...advance(held(0, 1)), token: "work#1" }).visit().token).toBe("end#1");
  });

  test("leave their evidence in the journal when they hold, and when they are reported", () => {
    const driver = drive(law);
    const red = broken(0, { what: "npm test", exitCode: 1, durationMs: 12, tail: "red", commit: "abc", dirty: true });
    driver.ok({ type: "report-gates", evidence: [red] }).ok(advance(held(0, 1)));
    const kept = driver.events.flatMap((event) =>
      event.type === "gates-checked" ? [{ token: event.token, purpose: event.purpose, evidence: event.evidence }] : [],
    );
    expect(kept).toEqual([
      { token: "work#1", purpose: "gate", evidence: [red] },
      { token: "work#1", purpose: "gate", evidence: held(0, 1) },
    ]);
  });

  test("that were reported to hold do not let a later advance through", () => {
    expect(
      drive(law)
        .ok({ type: "report-gates", evidence: held(0, 1) })
        .no(advance()),
    ).toBe("gate-unchecked");
  });

  test("also guard the sub-steps of a loop, each task anew", () => {
    const driver = drive(`
loops: { build: [{ id: verify, instructions: x, gate: [{ run: npm test }] }] }
steps: [{ id: build, type: loop }]
`);
    const tasks = ["a", "b"].map((id) => ({ id, title: id }));
    driver.ok({ type: "set-tasks", loop: "build", tasks });
    expect(driver.no(advance())).toBe("gate-unchecked");
    driver.ok(advance(held(0)));
    expect(driver.visit().token).toBe("build/b/verify#1");
    expect(driver.no(advance())).toBe("gate-unchecked");
  });

  test("are asked after the outcome, so that a wrong answer costs no check", () => {
    const driver = drive(`
steps: [{ id: work, type: action, instructions: x, gate: [{ run: npm test }], outcomes: { good: next } }]
`);
    expect(driver.no(advance([broken(0)]))).toBe("outcome-needed");
  });
});

describe("an approval", () => {
  const law = `
steps:
  - id: ship
    type: action
    instructions: Ship
    on_fail: retry
    gate: [{ run: npm test }, { approval: human }]
  - { id: end, type: action, instructions: x }
`;
  const waiting = () => drive(law).ok({ type: "request-approval" });

  test("is needed only when the machine's gates hold", () => {
    const driver = drive(law);
    expect(driver.no(advance())).toBe("gate-unchecked");
    expect(driver.no(advance([broken(0)]))).toBe("gate-failed");
    expect(driver.send(advance(held(0)))).toEqual({ ok: false, refusal: { code: "approval-needed", token: "ship#1" } });
  });

  test("cannot be given by evidence", () => {
    expect(drive(law).no(advance(held(0, 1)))).toBe("approval-needed");
  });

  test("that is asked for makes the run wait, and says so", () => {
    const driver = waiting();
    expect(driver.status()).toMatchObject({ status: "waiting", token: "ship#1", phase: { status: "blocked" } });
    expect(driver.status().instructions).toContain("This step waits for a person's approval.");
    expect(driver.no(advance(held(0)))).toBe("approval-needed");
  });

  test("that is asked for twice is asked for once", () => {
    expect(waiting().send({ type: "request-approval" })).toMatchObject({ ok: true, events: [] });
  });

  test("that is given lets the visit end, and records who and why", () => {
    const driver = waiting().ok({ type: "approve", by, reason: "looks right" });
    expect(driver.events.at(-1)).toMatchObject({ type: "approval-given", token: "ship#1", by, reason: "looks right" });
    expect(driver.run.status).toBe("running");
    expect(driver.ok(advance(held(0))).visit().token).toBe("end#1");
  });

  test("that is given does not excuse the machine's gates", () => {
    const driver = waiting().ok({ type: "approve", by });
    expect(driver.no(advance())).toBe("gate-unchecked");
    expect(driver.no(advance([broken(0)]))).toBe("gate-failed");
  });

  test("that is refused records who and why, tells the agent, and can be asked for again", () => {
    const driver = waiting().ok({ type: "reject", by, reason: "no changelog\nand no tag" });
    expect(driver.events.at(-1)).toMatchObject({ type: "approval-refused", by, reason: "no changelog\nand no tag" });
    expect(driver.run.status).toBe("running");
    expect(driver.status().instructions).toContain(
      "A person rejected this step and said:\n> no changelog\n> and no tag",
    );
    expect(driver.no(advance(held(0)))).toBe("approval-needed");
    driver
      .ok({ type: "request-approval" })
      .ok({ type: "approve", by })
      .ok(advance(held(0)));
    expect(driver.visit().token).toBe("end#1");
  });

  test.each([{ type: "approve", by } as const, { type: "reject", by, reason: "no" } as const])(
    "is not there to $type before it is asked for, after it is given, or at another step",
    (command) => {
      const refused = { ok: false, refusal: { code: "approval-not-asked", token: "ship#1" } };
      expect(drive(law).send(command)).toEqual(refused);
      const driver = waiting().ok({ type: "approve", by });
      expect(driver.send(command)).toEqual(refused);
      driver.ok(advance(held(0)));
      expect(driver.no({ type: "request-approval" })).toBe("approval-not-asked");
      expect(driver.no(command)).toBe("approval-not-asked");
    },
  );

  test("is asked for anew when the attempt fails", () => {
    const driver = waiting().ok({ type: "approve", by }).ok({ type: "advance", output: "red", failed: true });
    expect(driver.visit()).toMatchObject({ token: "ship#1~2", approval: "none" });
    expect(driver.no(advance(held(0)))).toBe("approval-needed");
  });

  test("that is awaited ends with the attempt: the run no longer waits", () => {
    expect(waiting().ok({ type: "advance", output: "red", failed: true }).run.status).toBe("running");
  });

  test("is asked for anew when the run comes back to the step", () => {
    const driver = waiting()
      .ok({ type: "approve", by })
      .ok(advance(held(0)));
    driver.ok({ type: "goto", step: "ship", by, reason: "again" }).ok({ type: "take-instructions" });
    expect(driver.no(advance(held(0)))).toBe("approval-needed");
  });

  test("meant for a visit that is over is refused as stale", () => {
    const driver = waiting().ok({ type: "goto", step: "end", by, reason: "skip" });
    expect(driver.no({ type: "approve", by, token: "ship#1" })).toBe("step-stale");
  });
});
