import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Face, makeWorld, type World } from "../world.ts";
import { atLoop, boatLaw, boatTasks as tasks } from "./parallel-loop.ts";

/** A run with one task, which a script without a session has claimed. */
async function atOneTask(): Promise<{ world: World; script: Face }> {
  const world = makeWorld();
  world.workflow("boat", boatLaw);
  const script = world.script({ face: "cli" });
  await script.ok("start", { workflow: "boat" });
  await script.ok("tasks", { loop: "build", tasks: tasks.slice(0, 1) });
  return { world, script };
}

function told(reply: object): unknown {
  return Reflect.get(reply, "instructions");
}

function leasesOf(world: World, runId: string): string[] {
  return readdirSync(world.runFolder(runId)).filter((name) => name.startsWith("lease-"));
}

describe("two agents on one loop", () => {
  test("get a task each, and go on with their own", async () => {
    const { world, one } = await atLoop();
    const two = world.agent("two");
    expect(await two.ok("next")).toMatchObject({
      token: "build/b/implement#1@2",
      instructions: expect.stringMatching(/the MAST/),
    });
    expect(await one.ok("next")).toMatchObject({
      token: "build/a/implement#1@1",
      instructions: expect.stringMatching(/the KEEL/),
    });
    expect(await two.ok("advance", { output: "It stands" })).toMatchObject({ token: "build/b/verify#1@2" });
    expect(await one.ok("next")).toMatchObject({ token: "build/a/implement#1@1" });
  });

  test("a third is told when nothing is free", async () => {
    const { world } = await atLoop();
    for (const session of ["two", "three"]) await world.agent(session).ok("next");
    expect(await world.agent("four").no("next")).toEqual({ code: "claim-needed", free: [] });
    expect(await world.agent("four").no("advance", { output: "I did it" })).toEqual({ code: "claim-needed", free: [] });
  });

  test("one that is named can be claimed, unless somebody has it or it is not open", async () => {
    const { world } = await atLoop();
    const two = world.agent("two");
    expect(await two.ok("next", { task: "c" })).toMatchObject({ task: { id: "c" } });
    expect(await two.no("next", { task: "a" })).toMatchObject({ code: "claim-held", task: "a", by: "one" });
    expect(await two.no("next", { task: "d" })).toMatchObject({ code: "task-not-open", open: ["a", "b", "c"] });
  });

  test("their status shows them no task of the other, and a person all of them", async () => {
    const { world } = await atLoop();
    await world.agent("two").ok("next");
    expect(JSON.stringify(await world.agent("two").ok("status"))).not.toContain("KEEL");
    const outside = await world.agent("other").ok("status");
    expect(outside).toMatchObject({ token: null, openTasks: [{ id: "c", state: "free" }] });
    const { openTasks } = await world.person().ok("status");
    expect(openTasks?.map(({ id, state, session }) => [id, state, session])).toEqual([
      ["a", "claimed", "one"],
      ["b", "claimed", "two"],
      ["c", "free", undefined],
    ]);
  });
});

describe("an agent with several tasks", () => {
  test("must name the one it means, and gets its reply about that one", async () => {
    const { one } = await atLoop();
    const b = await one.ok("next", { task: "b" });
    expect(b).toMatchObject({ token: "build/b/implement#1@2" });
    expect(await one.no("advance", { output: "done" })).toEqual({
      code: "visit-ambiguous",
      open: ["build/a/implement#1@1", "build/b/implement#1@2"],
    });
    expect(await one.ok("advance", { output: "done", token: "build/b/implement#1@2" })).toMatchObject({
      token: "build/b/verify#1@2",
      instructions: expect.stringMatching(/Verify the MAST/),
    });
  });

  test("is not handed the work of one subagent in the reply to another", async () => {
    const { world, one } = await atLoop();
    await one.ok("next", { task: "b" });
    await one.ok("advance", { output: "done", token: "build/b/implement#1@2" });
    await one.no("advance", { output: "shown", token: "build/b/verify#1@2" });
    await world.person().ok("approve", { task: "b" });
    const reply = await one.ok("advance", { output: "shown", token: "build/b/verify#1@2" });
    expect(reply).toMatchObject({ token: null });
    expect(JSON.stringify(reply)).not.toContain("KEEL");
    const again = await one.ok("advance", { output: "shown", token: "build/b/verify#1@2" });
    expect(again).toMatchObject({ token: null, replayed: true });
  });
});

test("one task waits for a person while the others go on, and the status says so", async () => {
  const { world, one } = await atLoop();
  await one.ok("advance", { output: "laid" });
  expect(await one.no("advance", { output: "look at it" })).toMatchObject({
    code: "approval-needed",
    free: ["b", "c"],
  });
  expect(await world.person().ok("project")).toMatchObject({ live: [{ waitsFor: { type: "approval" } }] });
  const status = await world.person().ok("status");
  expect(status).toMatchObject({ status: "running" });
  expect(status.openTasks?.[0]).toMatchObject({ id: "b" });
  expect(status.openTasks?.find(({ id }) => id === "a")).toMatchObject({ state: "waiting", waitsFor: "approval" });
  expect(await one.ok("next", { task: "c" })).toMatchObject({ token: "build/c/implement#1@2" });
});

describe("what waits is told as waiting while others go on:", () => {
  test("an approval, a question and a failure", async () => {
    const { world, one } = await atLoop();
    const two = world.agent("two");
    await two.ok("next");
    await one.ok("advance", { output: "laid" });
    await one.no("advance", { output: "look at it" });
    expect(told(await one.ok("next", { token: "build/a/verify#1@1" }))).toMatch(/waits for a person's approval/);
    await two.ok("ask", { question: "Which WOOD?" });
    expect(told(await two.ok("next"))).toMatch(/waits for the answer to q1/);
    expect(told(await one.ok("next"))).not.toMatch(/WOOD/);
    await world.person().ok("answer", { answer: "Oak" });
    expect(told(await two.ok("next"))).toMatch(/Oak/);
    expect(told(await world.agent("three").ok("next"))).not.toMatch(/Oak|WOOD/);
  });
});

describe("an approval belongs to the agent that asked for it:", () => {
  test("whoever takes the task over asks again, and the person sees what they submit", async () => {
    const { world, one } = await atLoop();
    await one.ok("advance", { output: "laid" });
    await one.no("advance", { output: "look at A" });
    await world.person().ok("release", { task: "a" });
    const two = world.agent("two");
    expect(await two.ok("next", { task: "a" })).toMatchObject({ token: "build/a/verify#1@2" });
    expect(await two.no("advance", { output: "look at B" })).toMatchObject({ code: "approval-needed" });
    expect(await world.person().ok("approve", { task: "a" })).toMatchObject({ decided: { submitted: "look at B" } });
  });
});

test("a session that repeats another's advance is not handed what that one works on", async () => {
  const { world, one } = await atLoop();
  const sent = { output: "laid", token: "build/a/implement#1@1" };
  await one.ok("advance", sent);
  expect(await one.ok("advance", sent)).toMatchObject({ token: "build/a/verify#1@1", replayed: true });
  expect(await world.agent("two").ok("advance", sent)).toMatchObject({ token: null, replayed: true });
});

test("a recap for one of several tasks has nothing of the other", async () => {
  const { one } = await atLoop();
  await one.ok("advance", { output: "SECRET of the keel" });
  await one.ok("next", { task: "b" });
  expect(JSON.stringify(await one.ok("next", { token: "build/b/implement#1@2" }))).not.toContain("SECRET");
});

describe("a lease", () => {
  test("is there while a claim is, and goes with it", async () => {
    const { world, one, runId } = await atLoop();
    expect(leasesOf(world, runId)).toEqual(["lease-1.json"]);
    const journal = world.journal(runId);
    world.pass(10);
    await one.ok("status");
    expect(world.journal(runId)).toBe(journal);
    await world.person().ok("release", { task: "a" });
    expect(leasesOf(world, runId)).toEqual([]);
    expect(await one.no("advance", { output: "late", token: "build/a/implement#1@1" })).toMatchObject({
      code: "claim-lost",
    });
  });

  test("that has run out lets somebody else take the task over, and not before", async () => {
    const { world, script } = await atOneTask();
    world.pass(14);
    expect(await world.agent("two").no("next")).toMatchObject({ code: "claim-needed" });
    expect(await world.agent("two").no("next", { task: "a" })).toMatchObject({ code: "claim-held" });
    world.pass(2);
    expect(await world.agent("two").ok("next")).toMatchObject({ token: "build/a/implement#1@2" });
    expect(await script.no("advance", { output: "late", token: "build/a/implement#1@1" })).toMatchObject({
      code: "claim-lost",
    });
  });

  test("is renewed by every call of a script under its claim", async () => {
    const { world, script } = await atOneTask();
    world.pass(14);
    await script.ok("advance", { output: "laid", token: "build/a/implement#1@1" });
    world.pass(14);
    expect(await world.agent("two").no("next")).toMatchObject({ code: "claim-needed" });
  });

  test.each(["a folder", "a pipe", "a link", "something else"])("that is %s stops nobody", async (what) => {
    const { world, runId } = await atLoop();
    const file = join(world.runFolder(runId), "lease-1.json");
    rmSync(file);
    if (what === "a folder") mkdirSync(file);
    else if (what === "a pipe") execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', file]);
    else if (what === "a link") symlinkSync("/etc/passwd", file);
    else writeFileSync(file, JSON.stringify({ at: "noon", runner: "x" }));
    expect(await world.agent("two").ok("next")).toMatchObject({ token: "build/b/implement#1@2" });
    expect(await world.agent("three").no("next", { task: "a" })).toMatchObject({ code: "claim-held" });
    await world.person().ok("release", { task: "a" });
    expect(leasesOf(world, runId)).toEqual(["lease-2.json"]);
  });

  test("of a living server does not run out", async () => {
    const { world } = await atLoop();
    for (const session of ["two", "three"]) await world.agent(session).ok("next");
    world.pass(60);
    expect(await world.agent("four").no("next")).toMatchObject({ code: "claim-needed" });
  });

  test("is no part of an export, and a received run has no claims", async () => {
    const { world, one, runId } = await atLoop();
    const file = join(world.home, "boat.jsonl");
    await one.ok("export", { run: runId, file });
    const other = makeWorld();
    await other.person().ok("import", { text: readFileSync(file, "utf8"), source: file });
    expect(await other.person().ok("status")).toMatchObject({ openTasks: [{ state: "free" }, {}, {}] });
    expect(await other.agent("one").no("advance", { output: "x", token: "build/a/implement#1@1" })).toMatchObject({
      code: "claim-lost",
    });
    expect(existsSync(join(other.runFolder(runId), "lease-1.json"))).toBe(false);
  });
});

test("an agent cannot release a task", async () => {
  const { one } = await atLoop();
  expect(await one.no("release", { task: "a" })).toMatchObject({ code: "person-needed" });
});

test("the question before an abort names the open tasks", async () => {
  const { world } = await atLoop();
  const asked: string[] = [];
  const person = world.script({
    face: "cli",
    isTerminal: true,
    confirm: async (question) => {
      asked.push(question);
      return false;
    },
  });
  expect(await person.no("abort")).toMatchObject({ code: "confirmation-needed" });
  expect(asked.join()).toMatch(/with the open tasks a \(claimed\), b \(free\), c \(free\)/);
});

test("gates run in the worktree that the claim was made from", async () => {
  const world = makeWorld();
  world.workflow(
    "boat",
    `
loops:
  build: [{ id: do, instructions: Do it, gate: [{ exists: done.txt }] }]
steps:
  - { id: build, type: loop, parallel: 2 }
`,
  );
  world.commit();
  const there = world.worktree("side");
  const one = world.agent("one");
  const { runId } = await one.ok("start", { workflow: "boat" });
  await one.ok("tasks", { loop: "build", tasks: tasks.slice(0, 2) });
  const two = world.agent("two", there);
  await two.ok("next", { run: runId });
  world.write("done.txt", "here");
  expect(await two.no("advance", { run: runId, output: "x" })).toMatchObject({ code: "gate-failed" });
  expect(await one.ok("advance", { output: "x" })).toMatchObject({ token: null });
});

test.each([
  ["back", -16],
  ["on", 16],
])(
  "a clock that is put %s by more than a lease lets others take over what no process is seen to work on",
  async (_way, minutes) => {
    const { world, script } = await atOneTask();
    world.pass(minutes);
    expect(await world.agent("two").ok("next")).toMatchObject({ token: "build/a/implement#1@2" });
    expect(await script.no("advance", { output: "late", token: "build/a/implement#1@1" })).toMatchObject({
      code: "claim-lost",
    });
  },
);

test.each([-16, -14])(
  "a clock that goes back by %i minutes takes no task from an agent whose server lives",
  async (minutes) => {
    const { world } = await atLoop();
    world.pass(minutes);
    expect(await world.agent("two").no("next", { task: "a" })).toMatchObject({ code: "claim-held" });
  },
);
