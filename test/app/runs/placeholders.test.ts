import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeWorld, type World } from "../world.ts";

async function started(yaml: string, request?: string): Promise<World> {
  const world = makeWorld({ git: false });
  world.workflow("own", yaml);
  await world.agent().ok("start", { workflow: "own", request });
  return world;
}

async function told(world: World): Promise<string> {
  const reply = await world.agent().ok("next");
  return "instructions" in reply ? String(reply.instructions) : "";
}

it("a ralph step is told which pass it is, and of how many", async () => {
  const world = await started('steps:\n  - { id: polish, type: ralph, n: 3, instructions: "Pass {pass} of {passes}" }');
  expect(await told(world)).toContain("Pass 1 of 3");
  await world.agent().ok("advance", { output: "done" });
  expect(await told(world)).toContain("Pass 2 of 3");
});

it("{gates} lists what must hold", async () => {
  const world = await started(`steps:
  - id: work
    type: action
    instructions: "Make sure that\\n{gates}"
    gate: [{ exists: plan.md }, { output: { contains: done } }]`);
  expect(await told(world)).toContain('Make sure that\n- plan.md exists\n- your output contains "done"\n');
});

const loop = `loops: { build: [{ id: make, instructions: "Make {task.title}" }, { id: check, instructions: Check it }] }
steps:
  - { id: build, type: loop }
  - { id: review, type: action, instructions: "All:\\n{outputs.build}\\nSecond: {outputs.build.t2}{?outputs.build.t9} and {outputs.build.t9}{/}" }`;

async function reviewed(outputs: readonly string[]): Promise<string> {
  const world = await started(loop);
  const agent = world.agent();
  const titles = outputs.map((_, index) => ({ id: `t${index + 1}`, title: `Task ${index + 1}` }));
  await agent.ok("tasks", { loop: "build", tasks: titles });
  for (const output of outputs) {
    await agent.ok("advance", { output: "made" });
    await agent.ok("advance", { output });
  }
  return told(world);
}

it("{outputs.<loop>} has what each task gave last, and {outputs.<loop>.<task>} one of them", async () => {
  const text = await reviewed(["first result", "second result"]);
  expect(text).toContain('All:\nt1 "Task 1":\nfirst result\n\nt2 "Task 2":\nsecond result\nSecond: second result\n');
});

it("the tasks of a loop share 8,000 characters evenly", async () => {
  const text = await reviewed(["a".repeat(30_000), "short", "b".repeat(30_000), "c".repeat(30_000)]);
  const [all = ""] = text.split("\nSecond: ");
  expect(all.length).toBeLessThanOrEqual(8_000);
  const counts = ["a", "b", "c"].map((letter) => all.split("").filter((each) => each === letter).length);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(30);
  expect(Math.min(...counts)).toBeGreaterThan(1_800);
  expect(all).toContain('t2 "Task 2":\nshort\n');
});

const asking = 'steps:\n  - { id: work, type: action, instructions: "Do this:\\n{run.request}" }';
const longRequest = (length: number) => `First line.\n${"x".repeat(length - 24)}\nLast line.`;

it("a request of 20,000 characters is in the instructions whole", async () => {
  const request = longRequest(20_000);
  expect(await told(await started(asking, request))).toContain(request);
});

it("of a longer one they have both ends, and the path of a file that has all of it", async () => {
  const request = longRequest(90_000);
  const world = await started(asking, request);
  const text = await told(world);
  expect(text).toContain("First line.");
  expect(text).toContain("Last line.");
  expect(text.length).toBeLessThan(10_000);
  const [, path = ""] = /read @(\S+) for the whole request/.exec(text) ?? [];
  expect(path).toMatch(/^\.holdfast\/runs\/.+\/request\.md$/);
  expect(readFileSync(join(world.project, path), "utf8")).toBe(request);
  rmSync(join(world.project, path));
  await told(world);
  expect(existsSync(join(world.project, path)), "it comes back when it is gone").toBe(true);
});

it("a file that cannot be written keeps no instructions back", async () => {
  const world = await started(asking, longRequest(90_000));
  const [, path = ""] = /read @(\S+) for/.exec(await told(world)) ?? [];
  rmSync(join(world.project, path));
  mkdirSync(join(world.project, path));
  expect(await told(world)).toContain("Last line.");
});

it("a part that depends on a value is shown only with that value", async () => {
  const world = await started(`variables: { ticket: "", area: api }
steps:
  - { id: work, type: action, instructions: "Work{?vars.area} on {vars.area}{/}{?vars.ticket} for {vars.ticket}{/}." }`);
  expect(await told(world)).toContain("Work on api.");
});
