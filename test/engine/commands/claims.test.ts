import { describe, expect, test } from "vitest";
import { decide } from "../../../src/engine/commands/decide.ts";
import { replay } from "../../../src/engine/evolve/evolve.ts";
import { tasksOf } from "../../../src/engine/view/view.ts";
import type { Command } from "../../../src/model/command.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { isLive } from "../../../src/model/run-state.ts";
import { type Driver, drive, template } from "../drive.ts";

const law = `
loops:
  build:
    - { id: implement, instructions: "Implement {task.title}" }
    - { id: verify, instructions: Verify, gate: [{ approval: human }] }
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: build, type: loop, parallel: 3 }
  - { id: ship, type: action, instructions: Ship }
`;

const set = (...ids: string[]): Command => ({
  type: "set-tasks",
  loop: "build",
  tasks: ids.map((id) => ({ id, title: `Task ${id}` })),
  session: "one",
});
const claim = (session: string | undefined, task?: string, expired: number[] = []): Command => ({
  type: "claim",
  session,
  task,
  expired,
});
const advance = (token: string, session?: string): Command => ({ type: "advance", output: "done", token, session });
const approve = (task?: string): Command => ({ type: "approve", by: "ann", task });

/** A run whose loop has these tasks; the session `one` has set them. */
const atLoop = (...ids: string[]) => begin(law, ...ids);
const begin = (yaml: string, ...ids: string[]) =>
  drive(yaml)
    .ok({ type: "take-instructions", session: "one" })
    .ok({ type: "advance", output: "", session: "one" })
    .ok(set(...ids));

/** Each open visit, and who works on it. */
function open({ run }: Driver): string[] {
  return isLive(run) ? run.visits.map(({ token, claim: held }) => `${token} ${held?.session ?? "nobody"}`) : [];
}

function tokenOf(driver: Driver, task: string): string {
  const { run } = driver;
  const visit = isLive(run)
    ? run.visits.find(({ place }) => place.type === "sub-step" && place.task === task)
    : undefined;
  if (visit === undefined) throw new Error(`${task} is not open`);
  return visit.token;
}

function standing({ run }: Driver): string[] {
  return run.status === "absent" ? [] : tasksOf(run, "build").map((task) => `${task.id} ${task.status}`);
}

/** Ends a task by this session, with an approval. */
function finish(driver: Driver, task: string, session: string): Driver {
  driver.ok(advance(tokenOf(driver, task), session));
  driver.ok({ type: "request-approval", token: tokenOf(driver, task) }).ok(approve(task));
  return driver.ok(advance(tokenOf(driver, task), session));
}

describe("in a loop with parallel: 3", () => {
  test("three tasks are open, and the session that set them has the first", () => {
    const driver = atLoop("a", "b", "c", "d");
    expect(open(driver)).toEqual([
      "build/a/implement#1@1 one",
      "build/b/implement#1 nobody",
      "build/c/implement#1 nobody",
    ]);
    expect(standing(driver)).toEqual(["a in_progress", "b pending", "c pending", "d pending"]);
  });

  test("a session that asks for its task in another clone claims it anew, unless one of the clones is not known", () => {
    const driver = atLoop("a", "b").ok({ type: "advance", output: "", token: "build/a/implement#1@1", session: "one" });
    const ask = (clone?: string): Command => ({ type: "claim", session: "two", task: "b", expired: [], clone });
    driver.ok(ask("here"));
    expect(open(driver)).toContain("build/b/implement#1@2 two");
    for (const clone of ["here", undefined]) expect(open(driver.ok(ask(clone)))).toContain("build/b/implement#1@2 two");
    expect(open(driver.ok(ask("there")))).toContain("build/b/implement#1@3 two");
    expect(driver.no(advance("build/b/implement#1@2", "two"))).toBe("claim-lost");
    // One that was claimed without a clone, by an older version or in files.
    driver.ok(claim("one", "a")).ok({ type: "claim", session: "one", task: "a", expired: [], clone: "here" });
    expect(open(driver)).toContain("build/a/verify#1@1 one");
  });

  test("each session claims its own, in order or by name, and keeps it over the sub-steps", () => {
    const driver = atLoop("a", "b", "c", "d").ok(claim("two")).ok(claim("three", "c"));
    driver.ok(advance("build/b/implement#1@2", "two"));
    expect(open(driver)).toEqual([
      "build/a/implement#1@1 one",
      "build/c/implement#1@3 three",
      "build/b/verify#1@2 two",
    ]);
  });

  test("a session that has a task gets no other one by asking without a name", () => {
    const driver = atLoop("a", "b");
    expect(driver.send(claim("one"))).toMatchObject({ ok: true, events: [] });
  });

  test("a session whose task ends goes on with the next that is free", () => {
    const driver = finish(atLoop("a", "b", "c", "d"), "a", "one");
    expect(open(driver)).toEqual([
      "build/b/implement#1@2 one",
      "build/c/implement#1 nobody",
      "build/d/implement#1 nobody",
    ]);
  });

  test("a session with several tasks gets no further one when one of them ends", () => {
    const driver = finish(atLoop("a", "b", "c", "d").ok(claim("one", "b")), "a", "one");
    expect(open(driver)).toContain("build/c/implement#1 nobody");
    expect(open(driver)).toContain("build/d/implement#1 nobody");
  });

  test("a call without a token from a session with several tasks is refused with their tokens", () => {
    const driver = atLoop("a", "b", "c").ok(claim("one", "b"));
    expect(driver.send({ type: "advance", output: "", session: "one" })).toMatchObject({
      refusal: { code: "visit-ambiguous", open: ["build/a/implement#1@1", "build/b/implement#1@2"] },
    });
  });

  test("a session without a task is told which are free, and never given another's", () => {
    const driver = atLoop("a", "b");
    expect(driver.send({ type: "advance", output: "", session: "two" })).toMatchObject({
      refusal: { code: "claim-needed", free: ["b"] },
    });
    driver.ok(claim("two"));
    expect(driver.no({ type: "hand-out", session: "three" })).toBe("claim-needed");
    expect(driver.no(claim("three"))).toBe("claim-needed");
    expect(driver.no(claim("three", "a"))).toBe("claim-held");
    expect(driver.no(advance("build/b/verify#1", "three"))).toBe("step-stale");
  });

  test("a visit that nobody has claimed cannot be ended, nor its instructions taken", () => {
    const driver = atLoop("a", "b");
    for (const failed of [true, false]) {
      expect(driver.no({ type: "advance", output: "", token: "build/b/implement#1", failed })).toBe("claim-needed");
    }
    expect(driver.no({ type: "hand-out", token: "build/b/implement#1", session: "two" })).toBe("claim-needed");
  });

  test("a visit that nobody has claimed takes no question, no request for approval and no gate check", () => {
    const driver = atLoop("a", "b");
    const token = "build/b/implement#1";
    for (const session of ["two", undefined]) {
      expect(driver.no({ type: "take-instructions", token, session })).toBe("claim-needed");
      expect(driver.no({ type: "ask", question: "Which?", token, session })).toBe("claim-needed");
      expect(driver.no({ type: "request-approval", token, session })).toBe("claim-needed");
      expect(driver.no({ type: "start-gates", runner: "1.1", interrupted: false, token, session })).toBe(
        "claim-needed",
      );
    }
  });

  test("whoever goes on with a sub-step of a task is given no second task, also without a session", () => {
    const driver = atLoop("a", "b", "c").ok(claim(undefined, "b"));
    driver.ok(advance("build/b/implement#1@2")).ok(advance("build/a/implement#1@1", "a-subagent"));
    expect(open(driver)).toEqual(["build/c/implement#1 nobody", "build/b/verify#1@2 nobody", "build/a/verify#1@1 one"]);
  });

  test("the loop ends when its last task has, and the session that ended it goes on", () => {
    const driver = atLoop("a", "b").ok(claim("two"));
    finish(finish(driver, "b", "two"), "a", "one");
    expect(driver.visit().token).toBe("ship#1");
    driver.ok({ type: "advance", output: "", session: "one" });
    expect(driver.run.status).toBe("complete");
  });

  test("a session that has ended its task while others work is told that nothing is free", () => {
    const driver = finish(atLoop("a", "b").ok(claim("two")), "b", "two");
    expect(driver.send(claim("two"))).toMatchObject({ refusal: { code: "claim-needed", free: [] } });
  });
});

describe("one task that waits for a person", () => {
  test("stops no other; the run waits only when all of them do", () => {
    const driver = atLoop("a", "b").ok(claim("two"));
    driver.ok(advance(tokenOf(driver, "a"), "one")).ok({ type: "request-approval", session: "one" });
    expect(driver.run.status).toBe("running");
    driver.ok(advance(tokenOf(driver, "b"), "two")).ok({ type: "request-approval", session: "two" });
    expect(driver.run.status).toBe("waiting");
    expect(driver.no(approve())).toBe("visit-ambiguous");
    driver.ok(approve("b"));
    expect(driver.run.status).toBe("running");
    driver.ok(approve()).ok(advance(tokenOf(driver, "a"), "one"));
    expect(standing(driver)).toEqual(["a done", "b in_progress"]);
  });

  test("leaves its session free for another one", () => {
    const driver = atLoop("a", "b");
    driver.ok(advance(tokenOf(driver, "a"), "one")).ok({ type: "request-approval", session: "one" });
    driver.ok(claim("one", "b")).ok({ type: "advance", output: "b is done", session: "one" });
    expect(open(driver)).toEqual(["build/a/verify#1@1 one", "build/b/verify#1@2 one"]);
  });

  test("spends nothing of its own time budget, while the others spend theirs", () => {
    const timed = law.replace("instructions: Verify,", "instructions: Verify, budget: { minutes: 10 },");
    const driver = drive(timed).done().ok(set("a", "b")).ok(claim("two"));
    driver.ok(advance(tokenOf(driver, "a"), "one")).ok(advance(tokenOf(driver, "b"), "two"));
    driver.ok({ type: "request-approval", token: tokenOf(driver, "a") });
    driver.pass(9);
    driver.ok(approve("a"));
    driver.pass(2);
    expect(driver.no(advance(tokenOf(driver, "b"), "two"))).toBe("review-needed");
    driver.ok({ type: "open-review", token: tokenOf(driver, "b") });
    expect(driver.run.status).toBe("running");
    driver.ok(advance(tokenOf(driver, "a"), "one"));
    expect(driver.run.status).toBe("review");
  });
});

test("a task that nobody has claimed yet spends nothing of its time budget", () => {
  const timed = law.replace('title}"', 'title}", budget: { minutes: 10 }');
  const driver = begin(timed, "a", "b");
  driver.pass(60);
  driver.ok(claim("two"));
  driver.pass(9);
  driver.ok(advance(tokenOf(driver, "b"), "two"));
  expect(driver.no(advance(tokenOf(driver, "a"), "one"))).toBe("review-needed");
});

describe("a claim is lost", () => {
  test("when its time has run out and somebody else claims; its token is refused, and no retry is used up", () => {
    const driver = atLoop("a").ok(claim("two", undefined, [1]));
    expect(open(driver)).toEqual(["build/a/implement#1@2 two"]);
    expect(driver.no(advance("build/a/implement#1@1", "one"))).toBe("claim-lost");
    expect(driver.no({ ...advance("build/a/implement#1@1", "one"), failed: true } as Command)).toBe("claim-lost");
    expect(driver.visit().attempt).toBe(1);
  });

  test("not before somebody else claims: until then its answer counts", () => {
    const driver = atLoop("a").ok(advance("build/a/implement#1@1", "one"));
    expect(open(driver)).toEqual(["build/a/verify#1@1 one"]);
  });

  test("a free task comes before one whose time has run out", () => {
    expect(open(atLoop("a", "b").ok(claim("two", undefined, [1])))).toContain("build/a/implement#1@1 one");
  });

  test("not while it waits for a person: the work is done", () => {
    const driver = atLoop("a");
    driver.ok(advance(tokenOf(driver, "a"), "one")).ok({ type: "request-approval", session: "one" });
    expect(driver.no(claim("two", "a", [1]))).toBe("claim-held");
    driver.ok(approve()).ok(claim("two", "a", [1]));
    expect(driver.visit()).toMatchObject({ token: "build/a/verify#1@2", approval: "none" });
  });

  test("three times, and a person decides; then it may be claimed again", () => {
    const driver = atLoop("a")
      .ok(claim("two", undefined, [1]))
      .ok(claim("three", undefined, [2]))
      .ok(claim("four", "a", [3]));
    expect(driver.visit()).toMatchObject({
      token: "build/a/implement#1",
      claim: null,
      pending: { why: "interrupted" },
    });
    expect(driver.run.status).toBe("waiting");
    expect(driver.no(claim("four"))).toBe("claim-needed");
    driver.ok({ type: "decide", verdict: "retry", by: "ann" }).ok(claim("four"));
    expect(open(driver)).toEqual(["build/a/implement#1@4 four"]);
  });

  test("three times since the person decided, before the person is asked again", () => {
    const driver = atLoop("a")
      .ok(claim("two", "a", [1]))
      .ok(claim("three", "a", [2]))
      .ok(claim("four", "a", [3]));
    driver.ok({ type: "decide", verdict: "retry", by: "ann" }).ok(claim("four"));
    driver.ok(claim("five", "a", [4])).ok(claim("six", "a", [5]));
    expect(open(driver)).toEqual(["build/a/implement#1@6 six"]);
    driver.ok(claim("seven", "a", [6]));
    expect(driver.run.status).toBe("waiting");
  });

  test("by a receipt: another machine's claims do not count here", () => {
    const driver = atLoop("a", "b").ok(claim("two")).ok({ type: "ask", question: "Which?", session: "two" });
    const received = { type: "run-received", from: "origin", machine: "m", worktree: null, after: 1 } as const;
    const events: RunEvent[] = [
      ...driver.events,
      { seq: driver.events.length + 1, at: "2026-01-01T01:00:00.000Z", ...received },
    ];
    const run = replay(events);
    expect(isLive(run) && run.visits.map(({ token, claim: held }) => [token, held])).toEqual([
      ["build/a/implement#1", null],
      ["build/b/implement#1", null],
    ]);
    expect(isLive(run) && run.questions[0]?.token).toBe("build/b/implement#1");
    expect(isLive(run) && run.lostClaims).toEqual([1, 2]);
  });
});

describe("a claim is given up", () => {
  test("by a person, for one task of several", () => {
    const driver = atLoop("a", "b").ok(claim("two"));
    expect(driver.no({ type: "release", by: "ann" })).toBe("visit-ambiguous");
    driver.ok({ type: "release", task: "a", by: "ann" });
    expect(open(driver)).toEqual(["build/a/implement#1 nobody", "build/b/implement#1@2 two"]);
    expect(driver.no(advance("build/a/implement#1@1", "one"))).toBe("claim-lost");
    expect(driver.no({ type: "release", task: "a", by: "ann" })).toBe("claim-not-held");
    expect(driver.no({ type: "release", task: "z", by: "ann" })).toBe("task-not-open");
  });

  test("by a session that ends for good, and by no other end", () => {
    const driver = atLoop("a");
    driver.ok({ type: "end-session", session: "one", reason: "clear" });
    expect(open(driver)).toEqual(["build/a/implement#1@1 one"]);
    driver.ok({ type: "end-session", session: "one", reason: "exit", isFinal: true });
    expect(open(driver)).toEqual(["build/a/implement#1 nobody"]);
  });

  test("not while it waits for an approval, or has it: the work is done", () => {
    const driver = atLoop("a");
    driver.ok(advance(tokenOf(driver, "a"), "one")).ok({ type: "request-approval", session: "one" });
    driver.ok({ type: "end-session", session: "one", reason: "exit", isFinal: true });
    expect(open(driver)).toEqual(["build/a/verify#1@1 one"]);
  });

  test("while its gates run, and the next one can check them", () => {
    const driver = atLoop("a").ok({ type: "start-gates", runner: "1.1", interrupted: false, session: "one" });
    driver.ok({ type: "release", by: "ann" });
    expect(driver.visit().checking).toBeNull();
  });

  test("by nobody when another session follows: it has the claim from then on", () => {
    const driver = atLoop("a").ok({
      type: "start-session",
      session: "two",
      host: "claude",
      source: "clear",
      follows: "one",
    });
    expect(open(driver)).toEqual(["build/a/implement#1@1 two"]);
  });
});

describe("leaving the loop closes every open task", () => {
  const closed = ({ events }: Driver) =>
    events.flatMap((event) => (event.type === "visit-closed" && event.reason !== "tasks-set" ? [event.token] : []));
  const both = ["build/a/implement#1@1", "build/b/implement#1@2"];

  test("by goto, and both are offered again when the run comes back", () => {
    const driver = atLoop("a", "b").ok(claim("two"));
    driver.ok({ type: "goto", step: "plan", by: "ann", reason: "anew" });
    expect(closed(driver)).toEqual(both);
    driver.ok({ type: "goto", step: "build", by: "ann", reason: "on" });
    expect(open(driver)).toEqual(["build/a/implement#2 nobody", "build/b/implement#2 nobody"]);
  });

  test("by an abort", () => {
    const driver = atLoop("a", "b").ok(claim("two")).ok({ type: "abort", by: "ann", reason: "enough" });
    expect(closed(driver)).toEqual(both);
  });

  test("by a failure that leads elsewhere", () => {
    const routed = law.replace('Implement {task.title}"', 'Implement", on_fail: { go_to: plan }');
    const driver = drive(routed).done().ok(set("a", "b")).ok(claim("two"));
    driver.ok({ type: "advance", output: "no", failed: true, token: both[0], session: "one" });
    expect(closed(driver)).toEqual([both[1]]);
    expect(driver.visit().place.step).toBe("plan");
    expect(driver.no(advance(both[1] ?? "", "two"))).toBe("step-stale");
  });

  test("by a failure that ends the run", () => {
    const strict = law.replace('Implement {task.title}"', 'Implement", on_fail: abort');
    const driver = drive(strict).done().ok(set("a", "b")).ok(claim("two"));
    driver.ok({ type: "advance", output: "no", failed: true, token: both[0], session: "one" });
    expect(closed(driver)).toEqual([both[1]]);
    expect(driver.run.status).toBe("failed");
  });
});

test("tasks that are set in the middle of the loop replace those that nobody has begun", () => {
  const driver = atLoop("a", "b", "c", "d").ok(claim("two", "b")).ok(set("x", "y"));
  expect(standing(driver)).toEqual(["a in_progress", "b in_progress", "x pending", "y pending"]);
  expect(open(driver)).toEqual([
    "build/a/implement#1@1 one",
    "build/b/implement#1@2 two",
    "build/x/implement#1 nobody",
  ]);
});

test("a list that is replaced moves the open tasks, not their ends", () => {
  const driver = finish(atLoop("a", "b", "c", "d").ok(claim("two", "b")).ok(claim("three", "c")), "b", "two");
  expect(standing(driver)).toEqual(["a in_progress", "b done", "c in_progress", "d in_progress"]);
  driver.ok({ type: "release", task: "a", by: "ann" }).ok(set("x"));
  expect(standing(driver)).toEqual(["b done", "c in_progress", "d in_progress", "x in_progress"]);
});

test("a loop whose open tasks are replaced is still open while somebody works on one", () => {
  const driver = atLoop("a", "b").ok({ type: "set-tasks", loop: "build", tasks: [], session: "one" });
  expect(open(driver)).toEqual(["build/a/implement#1@1 one"]);
  expect(isLive(driver.run) && driver.run.steps.build?.status).toBe("open");
});

test("the clock of a task that waits for a person stands still when the list is replaced", () => {
  const timed = law.replace("instructions: Verify,", "instructions: Verify, budget: { minutes: 10 },");
  const driver = begin(timed, "a", "b").ok(claim("two", "b"));
  driver.ok(advance("build/b/implement#1@2", "two")).ok({ type: "request-approval", session: "two" });
  driver.ok({ type: "release", task: "a", by: "ann" });
  driver.pass(60);
  driver.ok(set("x")).ok(approve("b"));
  expect(standing(driver)).toEqual(["b in_progress", "x in_progress"]);
  driver.ok(advance("build/b/verify#1@2", "two"));
});

test("a task with an open question stays when the list is replaced", () => {
  const driver = atLoop("a", "b").ok(claim("two")).ok({ type: "ask", question: "Which?", session: "two" });
  driver.ok({ type: "release", task: "b", by: "ann" }).ok(set("x"));
  expect(standing(driver).map((each) => each.split(" ")[0])).toEqual(["a", "b", "x"]);
});

test("a template that makes the loop one for several gives the open task to whoever works on it", () => {
  const alone = drive(law.replace(", parallel: 3", ""))
    .done()
    .ok(set("a", "b", "c"));
  const { run } = alone;
  const decision = decide(template(law), run, advance("build/a/implement#1", "one"), "2026-01-01T01:00:00.000Z");
  const next = decision.ok ? decision.run : run;
  expect(isLive(next) && next.visits.map(({ token }) => token)).toEqual([
    "build/a/verify#1@1",
    "build/b/implement#1",
    "build/c/implement#1",
  ]);
});

test("what depends on a task is opened when that is done", () => {
  const driver = drive(law).done();
  const tasks = ["a", "b", "c"].map((id) => ({ id, title: id, ...(id !== "a" && { depends_on: ["a"] }) }));
  driver.ok({ type: "set-tasks", loop: "build", tasks, session: "one" });
  expect(open(driver)).toEqual(["build/a/implement#1@1 one"]);
  expect(open(finish(driver, "a", "one"))).toEqual(["build/b/implement#1@2 one", "build/c/implement#1 nobody"]);
});

describe("a context action of a task", () => {
  const cleared = law.replace("id: implement,", "id: implement, context: clear,");

  test("is due for a session that has worked on the run, and not for one that has not", () => {
    const driver = drive(cleared)
      .done()
      .ok({ ...set("a", "b"), session: undefined } as Command);
    driver.ok({ type: "claim", session: "new", expired: [] });
    expect(driver.events.at(-1)).toMatchObject({ type: "visit-claimed", action: "none" });
    expect(driver.no({ type: "take-instructions", session: "other" })).toBe("claim-needed");
  });

  test("is due again when the task is claimed again", () => {
    const driver = begin(cleared, "a").ok({ type: "hand-out", session: "one" });
    expect(driver.visit().action?.status).toBe("handed-out");
    driver.ok({ type: "release", by: "ann" }).ok(claim("one"));
    expect(driver.visit().action?.status).toBe("due");
  });
});

test("replaying the events gives the same run", () => {
  const driver = finish(
    atLoop("a", "b", "c", "d")
      .ok(claim("two"))
      .ok(claim("three", "c", [])),
    "b",
    "two",
  );
  expect(replay(driver.events)).toEqual(driver.run);
});
