import { describe, expect, test } from "vitest";
import { replay } from "../../../src/engine/evolve/evolve.ts";
import { tasksOf } from "../../../src/engine/view/view.ts";
import type { DecideCommand } from "../../../src/model/command.ts";
import { type Driver, drive } from "../drive.ts";

const fail = (output = "red") => ({ type: "advance", output, failed: true }) as const;
const decide = (verdict: DecideCommand["verdict"], more: Partial<DecideCommand> = {}) =>
  ({ type: "decide", verdict, by: "ann", ...more }) as const;

const action = `
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: work, type: action, instructions: Work }
  - { id: end, type: action, instructions: End }
`;
const loop = `
loops:
  work: [{ id: first, instructions: First, max_retries: 0 }, { id: second, instructions: Second }]
steps:
  - { id: work, type: loop }
  - { id: end, type: action, instructions: End }
`;
const failed = () => drive(action).done().ok(fail("no luck"));
const tasks = [
  { id: "a", title: "A" },
  { id: "b", title: "B" },
];
const failedTask = () => drive(loop).ok({ type: "set-tasks", loop: "work", tasks }).ok(fail("no luck"));

function standing({ run }: Driver): string[] {
  return run.status === "absent" ? [] : tasksOf(run, "work").map(({ id, status }) => `${id} ${status}`);
}

describe("a failure that nothing handles", () => {
  test("waits for a person, and the agent is told so", () => {
    const driver = failed();
    expect(driver.run.status).toBe("waiting");
    expect(driver.status()).toMatchObject({
      token: "work#1~2",
      decision: { why: "failed", reason: "no luck", verdicts: ["retry", "skip", "go_to", "abandon"] },
    });
    expect(driver.status().instructions).toMatch(/This step has failed\. A person decides how to continue/);
    for (const command of [{ type: "advance", output: "x" }, fail(), { type: "ask", question: "?" }] as const) {
      expect(driver.send(command)).toEqual({
        ok: false,
        refusal: { code: "decision-needed", token: "work#1~2", step: "work", why: "failed", reason: "no luck" },
      });
    }
  });

  test("does not wait in a program without people", () => {
    const driver = drive(action)
      .done()
      .ok({ ...fail("no luck"), unattended: true });
    expect(driver.run).toMatchObject({ status: "failed", reason: "work: no luck" });
  });

  test("of a loop that asks for tasks takes none before the decision", () => {
    const driver = drive(loop).ok(fail());
    expect(driver.no({ type: "set-tasks", loop: "work", tasks })).toBe("decision-needed");
  });

  test("uses up no budget while it waits", () => {
    const driver = drive("steps: [{ id: a, type: action, instructions: x, budget: { minutes: 5 } }]").ok(fail());
    driver.pass(60);
    driver.ok({ type: "open-review" });
    expect(driver.run.status).toBe("waiting");
  });
});

describe("retry", () => {
  test("opens the visit again with what was said, and the agent has to be given its instructions", () => {
    const driver = failed().ok(decide("retry", { reason: "the server is up" }));
    expect(driver.run.status).toBe("running");
    const { instructions } = driver.status();
    expect(instructions).toContain("The last attempt failed for this reason:\n> no luck");
    expect(instructions).toContain("A person decided about the failure and said:\n> the server is up");
    expect(driver.no({ type: "advance", output: "x" })).toBe("instructions-not-taken");
    driver.done();
    expect(driver.visit().token).toBe("end#1");
  });

  test("gives the visit all its retries again", () => {
    const driver = drive("steps: [{ id: a, type: action, instructions: x, on_fail: retry, max_retries: 1 }]");
    driver.ok(fail()).ok(fail()).ok(decide("retry")).ok(fail());
    expect(driver.run.status).toBe("running");
    expect(driver.ok(fail()).run.status).toBe("waiting");
    expect(driver.visit().token).toBe("a#1~5");
  });
});

describe("skip", () => {
  test("goes on with the next step, and the step does not count as done", () => {
    const driver = failed().ok(decide("skip", { reason: "not needed" }));
    expect(driver.run).toMatchObject({ status: "running", steps: { work: { status: "failed" } } });
    expect(driver.visit()).toMatchObject({ token: "end#1", untaken: true });
    expect(driver.status().instructions).toContain("> not needed");
  });

  test("on a sub-step goes on with the next task", () => {
    const driver = failedTask().ok(decide("skip"));
    expect(standing(driver)).toEqual(["a failed", "b in_progress"]);
  });
});

describe("go_to", () => {
  test("goes to the step, whatever its condition says, with the reason of the failure", () => {
    const law = action.replace("id: end, type: action,", "id: end, type: action, when: vars.x,");
    const driver = drive(law)
      .done()
      .ok(fail("no luck"))
      .ok(decide("go_to", { step: "end" }));
    expect(driver.visit().token).toBe("end#1");
    expect(driver.status().instructions).toContain("The run came here because another step failed:\n> work: no luck");
  });

  test("out of a loop leaves its task pending, and it is done when the run comes back", () => {
    const driver = failedTask().ok(decide("go_to", { step: "end" }));
    expect(standing(driver)).toEqual(["a pending", "b pending"]);
    driver.ok({ type: "goto", step: "work", by: "ann", reason: "again" });
    expect(driver.visit().place).toMatchObject({ task: "a", subStep: "first" });
  });

  test.each([undefined, "nowhere"])("to %s is refused with the steps that there are", (step) => {
    const refusal = { code: "step-unknown", step: step ?? "", known: ["plan", "work", "end"] };
    expect(failed().send(decide("go_to", { step }))).toEqual({ ok: false, refusal });
  });
});

test("abandon ends the run as failed", () => {
  expect(failed().ok(decide("abandon")).run).toMatchObject({ status: "failed", reason: "work: no luck" });
  expect(failed().ok(decide("abandon", { reason: "enough" })).run).toMatchObject({ reason: "work: enough" });
});

describe("a decision that does not fit", () => {
  test("is refused with those that fit", () => {
    const verdict = "continue";
    expect(failed().send({ type: "review", verdict, by: "ann" })).toEqual({
      ok: false,
      refusal: {
        ...{ code: "verdict-unfit", token: "work#1~2", verdict },
        fitting: ["retry", "skip", "go_to", "abandon"],
      },
    });
    const spent = drive("steps: [{ id: a, type: action, instructions: x, budget: { turns: 1 } }]");
    spent.ok({ type: "count", turns: 1 });
    expect(spent.send(decide("retry"))).toMatchObject({
      refusal: { code: "verdict-unfit", fitting: ["continue", "pivot", "escalate", "abandon"] },
    });
  });

  test("is refused where nothing is pending, and while the run is paused", () => {
    expect(drive(action).no(decide("retry"))).toBe("decision-not-pending");
    expect(failed().ok({ type: "pause", by: "ann" }).no(decide("retry"))).toBe("run-paused");
  });
});

const fixed = `
loops:
  tasks: [{ id: code, instructions: x, on_fail: { go_to: fix }, max_retries: 1 }]
steps:
  - { id: lint, type: action, instructions: Lint, on_fail: { go_to: fix }, max_retries: 2, outcomes: { ok: ship } }
  - { id: fix, type: action, instructions: Fix, outcomes: { again: lint, loop: tasks } }
  - { id: tasks, type: loop }
  - { id: ship, type: action, instructions: Ship }
`;
const answer = (driver: Driver, outcome: string) =>
  driver.ok({ type: "take-instructions" }).ok({ type: "advance", output: "", outcome });

describe("on_fail: go_to", () => {
  test("leads to its step with the reason, at most max_retries times; then a person is asked", () => {
    const driver = drive(fixed).ok(fail("tabs"));
    expect(driver.visit()).toMatchObject({ token: "fix#1", note: { from: "failed-step", text: "lint: tabs" } });
    expect(driver.run).toMatchObject({ steps: { lint: { status: "failed" } }, jumps: { lint: 1 } });
    answer(driver, "again").ok(fail());
    answer(driver, "again").ok(fail("still tabs"));
    expect(driver.visit()).toMatchObject({ token: "lint#3~2", pending: { reason: "still tabs" } });
  });

  test("is counted anew after a person has decided", () => {
    const driver = drive(fixed).ok(fail());
    answer(driver, "again").ok(fail());
    answer(driver, "again").ok(fail()).ok(decide("retry")).ok(fail());
    expect(driver.visit().token).toBe("fix#3");
    driver.ok({ type: "goto", step: "lint", by: "ann", reason: "look" });
    expect(driver.run).toMatchObject({ jumps: {} });
  });

  test("from a sub-step leaves the task pending, and is counted over all tasks", () => {
    const driver = drive(fixed).ok({ type: "set-tasks", loop: "tasks", tasks }).ok(fail());
    answer(driver, "loop").ok(fail());
    expect(driver.visit().token).toBe("fix#2");
    answer(driver, "loop");
    expect(driver.visit().place).toMatchObject({ task: "a", subStep: "code" });
    driver.ok(fail());
    expect(driver.run).toMatchObject({ status: "waiting", jumps: { lint: 1, "tasks/code": 1 } });
  });
});

describe("reopen", () => {
  const reopen = (step?: string) => ({ type: "reopen", step, by: "ann", reason: "try again" }) as const;

  test("revives a failed run where it failed, with all that it had", () => {
    const driver = drive(action.replace("instructions: Work", "instructions: Work, on_fail: abort"));
    driver.done("the plan").ok(fail()).ok(reopen());
    expect(driver.run).toMatchObject({
      status: "running",
      last: { step: "work" },
      steps: { plan: { status: "done" } },
    });
    expect(driver.run).not.toHaveProperty("reason");
    expect(driver.visit()).toMatchObject({ token: "work#2", untaken: true });
    expect(driver.status().instructions).toContain("A person reopened the run at this step and said:\n> try again");
    driver.done().done();
    expect(driver.run.status).toBe("complete");
    expect(replay(driver.events)).toEqual(driver.run);
  });

  test("revives an aborted run at a step, whatever its condition says", () => {
    const law = action.replace("id: plan, type: action,", "id: plan, type: action, when: vars.x,");
    const driver = drive(law).ok({ type: "abort", by: "ann", reason: "enough" }).ok(reopen("plan"));
    expect(driver.visit().token).toBe("plan#1");
  });

  test("does the task again that ended the run, and keeps those before it", () => {
    const driver = drive(loop.replace("max_retries: 0", "on_fail: abort"));
    driver.ok({ type: "set-tasks", loop: "work", tasks }).done().done().ok(fail());
    expect(standing(driver)).toEqual(["a done", "b failed"]);
    driver.ok(reopen());
    expect(standing(driver)).toEqual(["a done", "b in_progress"]);
    driver.done().done().done();
    expect(driver.run.status).toBe("complete");
  });

  test("drops the question of a visit that is gone, so that the run does not wait for its answer", () => {
    const driver = drive(action).ok({ type: "ask", question: "Which?" });
    driver.ok({ type: "abort", by: "ann", reason: "enough" }).ok(reopen());
    expect(driver.run).toMatchObject({ status: "running", questions: [] });
  });

  test("is refused for a run that is live, complete, or has no such step", () => {
    expect(drive(action).no(reopen())).toBe("run-not-ended");
    expect(drive(action).done().done().done().no(reopen())).toBe("run-ended");
    expect(failed().ok(decide("abandon")).no(reopen("nowhere"))).toBe("step-unknown");
  });
});
