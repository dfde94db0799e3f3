import { describe, expect, it } from "vitest";
import { evolve } from "../../../src/engine/evolve/evolve.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { type Run, StartedRun } from "../../../src/model/run.ts";
import { isLive } from "../../../src/model/run-state.ts";
import { drive } from "../drive.ts";

function receive(run: Run, at = "2026-01-01T00:00:00.000Z"): Run {
  const seq = run.status === "absent" ? 1 : run.seq + 1;
  const event: RunEvent = { seq, at, type: "run-received", from: "origin", machine: "m-1", worktree: "here", after: 0 };
  const received = evolve(run, event);
  expect(StartedRun.safeParse(received).error).toBeUndefined();
  return received;
}

const approved = 'steps: [{ id: a, type: action, instructions: x, gate: [{ approval: human }, { run: "true" }] }]';

describe("a run that was received", () => {
  it("has no approval that was given elsewhere, and waits for one", () => {
    const driver = drive(approved).ok({ type: "request-approval" }).ok({ type: "approve", by: "ada" });
    const run = receive(driver.run);
    expect(run.status).toBe("waiting");
    expect(isLive(run) && run.visits[0]?.approval).toBe("foreign");
  });

  it("waits on for an approval that was only asked for, and is approved as ever", () => {
    const asked = receive(drive(approved).ok({ type: "request-approval" }).run);
    expect(isLive(asked) && asked.visits[0]?.approval).toBe("requested");
    const foreign = receive(drive(approved).ok({ type: "request-approval" }).ok({ type: "approve", by: "ada" }).run);
    const given: RunEvent = {
      seq: 9,
      at: "2026-01-01T00:00:00.000Z",
      type: "approval-given",
      token: "a#1",
      by: "bob",
      reason: null,
    };
    const after = evolve(foreign, given);
    expect(after.status).toBe("running");
    expect(isLive(after) && after.visits[0]?.approval).toBe("given");
  });

  it("is checked by nobody: who began that is a process of another machine", () => {
    const run = receive(drive(approved).ok({ type: "start-gates", runner: "1.1", interrupted: false }).run);
    expect(isLive(run) && run.visits[0]?.checking).toBe(null);
  });

  it("works where it was received", () => {
    expect(receive(drive(approved).run)).toMatchObject({ worktree: "here" });
  });

  it("has no time that is still to come", () => {
    const driver = drive(approved);
    driver.pass(600);
    const late = driver.ok({ type: "start-session", session: "s", host: "claude", source: "startup" });
    const live = receive(late.run, "2025-06-01T00:00:00.000Z");
    expect(live).toMatchObject({
      startedAt: "2025-06-01T00:00:00.000Z",
      updatedAt: "2025-06-01T00:00:00.000Z",
      sessions: [{ startedAt: "2025-06-01T00:00:00.000Z" }],
      visits: [{ spending: { since: "2025-06-01T00:00:00.000Z" } }],
    });
    const ended = receive(late.ok({ type: "abort", by: "ada", reason: "enough" }).run, "2025-06-01T00:00:00.000Z");
    expect(ended).toMatchObject({ status: "aborted", endedAt: "2025-06-01T00:00:00.000Z" });
  });

  it("keeps times that have been", () => {
    expect(receive(drive(approved).run, "2027-01-01T00:00:00.000Z")).toMatchObject({
      startedAt: "2026-01-01T00:00:00.000Z",
      visits: [{ spending: { since: "2026-01-01T00:00:00.000Z" } }],
    });
  });
});
