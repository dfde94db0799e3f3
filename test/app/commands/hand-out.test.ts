import { describe, expect, it } from "vitest";
import { changeRun } from "../../../src/app/runs/change-run.ts";
import type { Reply } from "../../../src/app/runs/reply.ts";
import { readFrozen } from "../../../src/app/workflows/frozen-template.ts";
import { type Face, makeWorld, type World } from "../world.ts";

const yaml = `loops:
  build:
    - { id: code, instructions: "Code {task.title}", context: clear }
    - { id: check, instructions: Check }
steps:
  - { id: plan, type: action, instructions: Plan, context: compact }
  - { id: design, type: action, instructions: Design, context: clear }
  - { id: build, type: loop }
  - { id: polish, type: ralph, n: 2, instructions: Polish, context: compact }
  - { id: ship, type: action, instructions: Ship }`;

const tasks = [
  { id: "t1", title: "One" },
  { id: "t2", title: "Two" },
];

function project(): World {
  const world = makeWorld({ git: false });
  world.path(".holdfast/x");
  world.workflow("own", yaml);
  return world;
}

function due(action: "/compact" | "/clear", token: string): Reply {
  const message =
    `Please run \`${action}\` first, then call workflow_status again. ` +
    `If you cannot run it yourself, say to the person: "type ${action}, then say: go on", and stop.`;
  return { contextAction: action, message, runId: "own-20260131_000000-0001", token };
}

/** Every call that an agent makes to learn what to do; none of them ends a visit of the plan or the design. */
const calls: Readonly<Record<string, (face: Face) => Promise<Reply>>> = {
  start: (face) => face.ok("start", { workflow: "own" }),
  next: (face) => face.ok("next"),
  tasks: (face) => face.ok("tasks", { loop: "build", tasks }),
};
const names = Object.keys(calls);

async function call(name: string, face: Face): Promise<Reply> {
  const made = calls[name];
  if (made === undefined) throw new Error(`there is no call ${name}`);
  return made(face);
}

/** An advance whose process died before it could hand anything out. */
async function advanceAndDie(world: World): Promise<void> {
  const { deps } = world.agent("s1");
  const standing = await deps.journal.load("own-20260131_000000-0001");
  if (standing === null) throw new Error("there is no run");
  const { template } = await readFrozen(deps, standing.run);
  const command = { type: "advance", output: "done", session: "s1" } as const;
  const taken = await changeRun(deps, standing, template, { command: { type: "take-instructions" } });
  if (!taken.ok) throw new Error(taken.refusal.code);
  expect(await changeRun(deps, taken.value.standing, template, { command })).toMatchObject({ ok: true });
}

async function handedOut(world: World): Promise<string[]> {
  const events = await world.agent().events("own-20260131_000000-0001");
  return events.flatMap((event) =>
    event.type === "context-action-handed-out" ? [`${event.action} ${event.token}`] : [],
  );
}

describe("a context action", () => {
  it("comes alone with the start, and the next call gives the instructions", async () => {
    const world = project();
    const agent = world.agent("s1");
    expect(await agent.ok("start", { workflow: "own" })).toEqual(due("/compact", "plan#1"));
    expect(await agent.ok("next")).toMatchObject({ step: "plan", instructions: expect.stringContaining("Plan") });
    expect(await handedOut(world)).toEqual(["compact plan#1"]);
  });

  it("comes once for every visit on a whole walk, and never after the end", async () => {
    const world = project();
    const agent = world.agent("s1");
    const replies = [await agent.ok("start", { workflow: "own" })];
    const asked = async () => {
      for (let times = 0; times < 3; times++) await agent.ok("next", { run: "own-20260131_000000-0001" });
    };
    await asked();
    const ask = async (reply: Promise<Reply>) => {
      replies.push(await reply);
      await asked();
    };
    await ask(agent.ok("advance"));
    await ask(agent.ok("advance"));
    await ask(agent.ok("tasks", { loop: "build", tasks }));
    for (let times = 0; times < 7; times++) await ask(agent.ok("advance"));
    expect(
      replies.map((reply) => ("contextAction" in reply ? `${reply.contextAction} ${reply.token}` : reply.step)),
    ).toEqual([
      "/compact plan#1",
      "/clear design#1",
      "build",
      "/clear build/t1/code#1",
      "build",
      "/clear build/t2/code#1",
      "build",
      "/compact polish/1#1",
      "/compact polish/2#1",
      "ship",
      "ship",
    ]);
    expect(await handedOut(world)).toEqual([
      "compact plan#1",
      "clear design#1",
      "clear build/t1/code#1",
      "clear build/t2/code#1",
      "compact polish/1#1",
      "compact polish/2#1",
    ]);
  });

  it.each(names)("that a crash kept back comes with %s, once", async (name) => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    await advanceAndDie(world);
    expect(await world.agent("s1").ok("overview")).toMatchObject({ contextActionDue: "clear" });
    expect(await call(name, world.agent("s1"))).toEqual(due("/clear", "design#1"));
    for (const other of names) expect(await call(other, world.agent("s1"))).toMatchObject({ step: "design" });
    expect(await handedOut(world)).toEqual(["compact plan#1", "clear design#1"]);
  });

  it("that a crash kept back also keeps the visit from being ended unseen", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    await advanceAndDie(world);
    const unseen = { code: "instructions-not-taken", token: "design#1", step: "design" };
    expect(await world.agent("s1").no("advance")).toEqual(unseen);
    expect(await world.agent("s1").ok("next")).toEqual(due("/clear", "design#1"));
    expect(await world.agent("s1").no("advance", { token: "design#1" })).toEqual(unseen);
    for (const face of [world.agent("s1"), world.script(), world.person()]) await face.ok("status");
    expect(await world.agent("s1").no("advance")).toEqual(unseen);
    await world.agent("s1").ok("next");
    expect(await world.agent("s1").ok("advance")).toMatchObject({ step: "build", token: "build#1" });
  });

  it("of a run that a person reset waits for the agent, and so do its instructions", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    await world.agent("s1").ok("next");
    const { runId: run } = await world.person().ok("reset");
    expect(await world.agent("s1").no("advance", { run })).toMatchObject({ code: "instructions-not-taken" });
    expect(await world.agent("s1").ok("next", { run })).toMatchObject({ contextAction: "/compact", runId: run });
  });

  it.each(names.flatMap((first) => names.map((second) => [first, second] as const)))(
    "goes to one of two sessions that ask at once, by %s and by %s",
    async (first, second) => {
      const world = project();
      await world.agent("s1").ok("start", { workflow: "own" });
      await advanceAndDie(world);
      const replies = await Promise.all([call(first, world.agent("s1")), call(second, world.agent("s2"))]);
      expect(replies.filter((reply) => "contextAction" in reply)).toEqual([due("/clear", "design#1")]);
      expect(await handedOut(world)).toEqual(["compact plan#1", "clear design#1"]);
    },
  );

  it("is taken by no look", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    await advanceAndDie(world);
    for (const face of [world.agent("s1"), world.person()]) {
      expect(await face.ok("status")).toMatchObject({ step: "design", token: "design#1" });
      expect(await face.ok("overview")).toMatchObject({ contextActionDue: "clear" });
    }
    expect(await world.agent("s1").ok("next")).toEqual(due("/clear", "design#1"));
  });

  it("waits while the run is paused", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    await advanceAndDie(world);
    await world.person().ok("pause");
    expect(await world.agent("s1").ok("next")).toMatchObject({ status: "paused" });
    await world.person().ok("resume");
    expect(await world.agent("s1").ok("next")).toEqual(due("/clear", "design#1"));
  });

  it("is not handed out by what a person does, and comes with the agent's next call", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    expect(await world.person().ok("goto", { step: "design", reason: "skip ahead" })).toMatchObject({ step: "design" });
    expect(await world.agent("s1").ok("next")).toEqual(due("/clear", "design#1"));
  });

  it("does not come again after a failed attempt at the same visit", async () => {
    const world = project();
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "own" });
    await agent.ok("next");
    await agent.ok("advance");
    await agent.ok("next");
    await agent.ok("tasks", { loop: "build", tasks });
    await agent.ok("advance");
    expect(await agent.ok("advance", { failed: true, output: "no" })).toMatchObject({ token: "build/t1/code#1~2" });
    expect((await handedOut(world)).filter((line) => line.includes("t1"))).toEqual(["clear build/t1/code#1"]);
  });
});
