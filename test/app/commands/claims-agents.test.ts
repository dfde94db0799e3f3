import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { printRefusal } from "../../../src/cli/print/print-refusal.ts";
import { createPaint } from "../../../src/cli/terminal/paint.ts";
import { wordRefusal } from "../../../src/model/refusal/refusal.ts";
import { atLoop, boatLaw } from "./parallel-loop.ts";

const paint = createPaint({ colours: false, columns: null });

describe("a caller without a session", () => {
  /** A script has claimed b, after the agent `one` got a. */
  async function atScript() {
    const at = await atLoop();
    const script = at.world.script({ face: "cli" });
    await script.ok("next");
    return { ...at, script };
  }
  const mine = "build/b/implement#1@2";

  test("does not claim another task each time it asks: it is told which one may be its own", async () => {
    const { script } = await atScript();
    const refused = await script.no("next");
    expect(refused).toEqual({ code: "claim-needed", free: ["c"], perhaps: [mine] });
    expect(await script.no("advance", { output: "done" })).toEqual(refused);
    const { message, next } = wordRefusal(refused);
    expect(message).toContain(mine);
    expect(next).toMatch(/holdfast next --token.*holdfast next --task.*: c\. With HOLDFAST_SESSION/);
  });

  test("is told to advance with the token, which needs no session", async () => {
    const { script } = await atScript();
    expect(await script.ok("next", { token: mine })).toMatchObject({
      instructions: expect.stringMatching(/run `holdfast advance --token 'build\/b\/implement#1@2' --output/),
    });
  });

  test("goes on with the token, and claims another by its name", async () => {
    const { script } = await atScript();
    expect(await script.ok("next", { token: mine })).toMatchObject({ task: { id: "b" } });
    expect(await script.ok("next", { task: "c" })).toMatchObject({ token: "build/c/implement#1@3" });
    expect(await script.no("next")).toMatchObject({ perhaps: [mine, "build/c/implement#1@3"] });
    expect(await script.ok("advance", { output: "done", token: mine })).toMatchObject({ token: "build/b/verify#1@2" });
  });

  test("is told the whole token if it leaves out the number of the claim", async () => {
    const { script } = await atScript();
    const token = "build/b/implement#1";
    const refused = await script.no("next", { token });
    expect(refused).toEqual({ code: "claim-needed", free: ["c"], perhaps: [mine] });
    expect(await script.no("advance", { token, output: "done" })).toEqual(refused);
  });

  test("takes over what another one has left", async () => {
    const { world, script } = await atScript();
    await script.ok("next", { task: "c" });
    world.pass(16);
    expect(await script.ok("next")).toMatchObject({ token: "build/b/implement#1@4" });
  });

  test("is no concern of a session", async () => {
    const { world } = await atScript();
    expect(await world.agent("two").ok("next")).toMatchObject({ task: { id: "c" } });
    expect(await world.agent("three").no("next")).toEqual({ code: "claim-needed", free: [] });
  });
});

describe("a token that is not open", () => {
  test("of a session without a task: it is told to ask for one, not that nothing is open", async () => {
    const { world } = await atLoop();
    const refused = await world.agent("two").no("advance", { output: "x", token: "build#1" });
    expect(refused).toMatchObject({ code: "step-stale", open: [], elsewhere: true });
    expect(wordRefusal(refused).next).toBe("none of the open tasks is known to be yours; run `holdfast next`");
    expect(await printRefusal(refused, paint)).not.toMatch(/no visit is open/);
  });

  test("of one of several subagents: it is told of its own task, and of no other's", async () => {
    const { one } = await atLoop();
    await one.ok("next", { task: "b" });
    await one.ok("advance", { output: "built", token: "build/b/implement#1@2" });
    expect(await one.no("advance", { output: "other", token: "build/b/implement#1@2" })).toMatchObject({
      code: "step-stale",
      open: ["build/b/verify#1@2"],
    });
    expect(await one.no("advance", { output: "x", token: "build/z/implement#1@7" })).toMatchObject({ open: [] });
  });
});

describe("a context action before one of several tasks", () => {
  const law = boatLaw.replace("gate: [{ approval: human }]", "context: clear");

  test("names the task, because the next call could mean several", async () => {
    const { one } = await atLoop(law);
    await one.ok("next", { task: "b" });
    const reply = await one.ok("advance", { output: "built", token: "build/b/implement#1@2" });
    expect(reply).toMatchObject({
      contextAction: "/clear",
      message: expect.stringMatching(/then call workflow_status again with task "b"\./),
    });
    expect(await one.ok("next", { task: "b" })).toMatchObject({ token: "build/b/verify#1@2" });
  });

  test("on the command line, the token", async () => {
    const { world } = await atLoop(law);
    const script = world.script({ face: "cli" });
    await script.ok("next");
    expect(await script.ok("advance", { output: "built", token: "build/b/implement#1@2" })).toMatchObject({
      message: expect.stringMatching(/then run `holdfast next --token 'build\/b\/verify#1@2'` again\./),
    });
  });

  test("of a session with one task needs no name", async () => {
    const { one } = await atLoop(law);
    expect(await one.ok("advance", { output: "built" })).toMatchObject({
      message: expect.stringMatching(/then call workflow_status again\./),
    });
  });
});

describe("a list of tasks that is refused", () => {
  const tasks = (depends_on: readonly string[]) => [{ id: "x", title: "X", depends_on: [...depends_on] }];

  test("says what fits its dependencies", async () => {
    const { one } = await atLoop();
    const refused = await one.no("tasks", { loop: "build", tasks: tasks(["y"]) });
    expect(wordRefusal(refused).next).toMatch(/depends_on names tasks of the list, in no circle/);
  });

  test("says how many dependencies a task can have", async () => {
    const { one } = await atLoop();
    const many = Array.from({ length: 1_001 }, (_, index) => `t${index}`);
    const refused = await one.no("tasks", { loop: "build", tasks: tasks(many) });
    expect(wordRefusal(refused).message).toBe("task 1: depends_on must be a list of at most 1,000 task ids");
  });
});

describe("a task that was claimed in another worktree", () => {
  const law = `
loops:
  build: [{ id: do, instructions: "Do it in {project_root}", gate: [{ run: "pwd; exit 1" }] }]
steps:
  - { id: build, type: loop, parallel: 2 }
`;
  async function atSide() {
    const at = await atLoop(law);
    at.world.commit();
    const there = at.world.worktree("side");
    const two = at.world.agent("two", there);
    const reply = await two.ok("next", { run: at.runId });
    return { ...at, there, two, reply };
  }

  test("is told the folder of that worktree, also by a gate that failed", async () => {
    const { runId, there, two, reply } = await atSide();
    expect(reply).toMatchObject({ instructions: expect.stringContaining(`Do it in ${there}`) });
    const refused = await two.no("advance", { run: runId, output: "done" });
    expect(refused).toMatchObject({ code: "gate-failed", tail: expect.stringContaining(there) });
  });

  test("registers files of that worktree, also by their full paths", async () => {
    const { runId, there, two } = await atSide();
    const file = join(there, "README.md");
    expect(await two.ok("artefacts", { run: runId, paths: [file] })).toMatchObject({ registered: ["README.md"] });
    const refused = await two.no("advance", { run: runId, output: "done", artifacts: { readme: file } });
    expect(refused).toMatchObject({ code: "gate-failed" });
  });

  test("is told which worktree is gone", async () => {
    const { world, runId, there, one } = await atSide();
    world.git("worktree", "remove", "--force", there);
    const token = "build/b/do#1@2";
    expect(await one.no("advance", { run: runId, token, output: "done" })).toMatchObject({
      tail: '"side", where the task was claimed, is gone; restore it with git worktree add, or ask a person to release the task',
    });
  });
});

test("workflow_context has nothing of a task that another agent works on, and a person sees all", async () => {
  const { world, one } = await atLoop();
  const two = world.agent("two");
  await two.ok("next");
  await one.ok("advance", { output: "a SECRET of the keel" });
  await two.ok("advance", { output: "the mast STANDS" });
  const own = JSON.stringify(await two.ok("context"));
  expect(own).toContain("STANDS");
  expect(own).not.toContain("SECRET");
  expect(JSON.stringify(await world.person().ok("context"))).toMatch(/SECRET.*STANDS/);
  await one.no("advance", { output: "look" });
  await world.person().ok("approve", { task: "a", reason: "PRETTY" });
  expect(JSON.stringify(await two.ok("context"))).not.toContain("PRETTY");
  await one.ok("advance", { output: "ended" });
  expect(JSON.stringify(await two.ok("context"))).toMatch(/SECRET/);
});
