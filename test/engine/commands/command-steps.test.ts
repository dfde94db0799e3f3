import { describe, expect, test } from "vitest";
import { evolve, replay } from "../../../src/engine/evolve/evolve.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { type Driver, drive } from "../drive.ts";

const law = (rest = "") => `
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: lint, type: command, run: npm run lint${rest} }
  - { id: end, type: action, instructions: "After {outputs.lint}", when: outputs.lint != null }
`;
const start = (interrupted = false, runner = "1.1") => ({ type: "start-command", runner, interrupted }) as const;
const end = (exitCode: number, tail = "said") =>
  ({
    type: "end-command",
    runner: "1.1",
    cancelled: false,
    evidence: { gate: 0, what: "npm run lint", held: exitCode === 0, exitCode, tail },
  }) as const;
const cancelled = {
  ...end(0),
  cancelled: true,
  evidence: { gate: 0, what: "npm run lint", held: false, tail: "half" },
};
const atLint = (rest = "") => drive(law(rest)).done();
const running = (rest = "") => atLint(rest).ok(start());
const typesOf = ({ events }: Driver) => events.map(({ type }) => type);

test("a command is begun before it runs, and goes on when it ends with 0; its output is the step's", () => {
  const driver = running().ok(end(0, "3 files checked"));
  expect(typesOf(driver).slice(-5)).toEqual([
    ...["command-started", "command-ended", "visit-ended", "step-ended", "visit-entered"],
  ]);
  expect(driver.visit()).toMatchObject({ token: "end#1", untaken: true });
  expect(driver.status().instructions).toContain("After 3 files checked");
  expect(replay(driver.events)).toEqual(driver.run);
});

test("an agent has nothing to do there, and is told what runs and how to go on", () => {
  const driver = atLint();
  expect(driver.status()).toMatchObject({ stepType: "command", agent: null, token: "lint#1" });
  expect(driver.status().instructions).toBe(
    "Holdfast runs this step itself: `npm run lint`.\n\n" +
      "Call workflow_status: it does this, or waits for it, and returns what follows.",
  );
  expect(driver.no({ type: "advance", output: "x" })).toBe("command-step");
  expect(driver.no({ type: "advance", output: "x", failed: true })).toBe("command-step");
  expect(driver.no({ type: "ask", question: "?" })).toBe("command-step");
  driver.ok(start());
  expect(driver.no({ type: "advance", output: "x" })).toBe("step-running");
});

describe("a command that fails", () => {
  test("asks a person by default, with its exit code and what it printed", () => {
    const driver = running().ok(end(3, "tabs"));
    expect(driver.visit()).toMatchObject({ pending: { why: "failed", reason: "npm run lint (exit 3)\ntabs" } });
  });

  test("does what on_fail says", () => {
    expect(running(", on_fail: abort").ok(end(1)).run.status).toBe("failed");
    expect(running(", on_fail: skip").ok(end(1)).visit().token).toBe("end#1");
    expect(running(", on_fail: { go_to: plan }").ok(end(1)).visit()).toMatchObject({
      ...{ token: "plan#2", note: { from: "failed-step", text: "lint: npm run lint (exit 1)\nsaid" } },
    });
    const again = running(", on_fail: retry, max_retries: 1").ok(end(1));
    expect(again.visit().token).toBe("lint#1~2");
    expect(again.ok(start()).ok(end(1)).run.status).toBe("waiting");
  });
});

describe("a command that was interrupted", () => {
  test("is never begun again by itself: a person is asked", () => {
    const driver = running().ok(start(true));
    expect(driver.visit()).toMatchObject({ pending: { why: "interrupted" } });
    expect(driver.visit()).not.toHaveProperty("command");
    expect(typesOf(driver).filter((type) => type === "command-started")).toHaveLength(1);
    expect(driver.no(start())).toBe("decision-needed");
    expect(driver.no(end(0))).toBe("step-stale");
    driver.ok({ type: "decide", verdict: "retry", by: "ann" }).ok(start()).ok(end(0));
    expect(driver.visit().token).toBe("end#1");
  });

  test("is begun again if its step says that it may be", () => {
    const driver = running(", repeatable: true").ok(start(true, "2.2"));
    expect(driver.visit()).toMatchObject({ command: { runner: "2.2" } });
    expect(driver.no(end(0))).toBe("step-stale");
  });

  test("is not begun while another process runs it, nor while the run is paused", () => {
    expect(running().no(start())).toBe("step-running");
    expect(atLint().ok({ type: "pause", by: "ann" }).no(start())).toBe("run-paused");
  });

  test("by its caller asks a person, or waits for the next call if it may run again", () => {
    const driver = running().ok(cancelled);
    expect(driver.visit()).toMatchObject({ pending: { why: "interrupted" } });
    const repeatable = running(", repeatable: true").ok(cancelled);
    expect(repeatable.run.status).toBe("running");
    expect(repeatable.visit()).not.toHaveProperty("command");
  });

  test.each([
    ["", { pending: { why: "interrupted" } }],
    [", repeatable: true", { token: "lint#1" }],
  ])("because its run was moved to another machine is not begun there by itself%s", (rest, expected) => {
    const { run, events } = running(rest);
    const at = "2026-01-02T00:00:00.000Z";
    const received = { seq: events.length + 1, at, type: "run-received", from: "origin", machine: "m" } as const;
    const there = evolve(run, { ...received, worktree: null, after: 0 } satisfies RunEvent);
    expect(there).toMatchObject({ visits: [expected] });
    expect(JSON.stringify(there)).not.toContain('"command":');
  });
});

test("a person who moves the run away from a running command ends its visit", () => {
  const driver = running().ok({ type: "goto", step: "plan", by: "ann", reason: "look" });
  expect(driver.no({ ...end(0), token: "lint#1" })).toBe("step-stale");
});

test("the template of a running command is not replaced", () => {
  expect(running().no({ type: "adopt", templateHash: "sha256:fedcba9876543210", by: "ann" })).toBe("step-running");
});
