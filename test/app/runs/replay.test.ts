import { describe, expect, it } from "vitest";
import { makeWorld, type World } from "../world.ts";

const yaml = `variables: { colour: red }
steps:
  - { id: plan, type: action, instructions: "Plan in {vars.colour}" }
  - { id: build, type: ralph, n: 45, context: compact, instructions: "Build after {outputs.plan}" }
  - { id: ship, type: action, instructions: Ship, outcomes: { yes: complete, no: plan } }`;

const run = "own-20260131_000000-0001";

function project(): World {
  const world = makeWorld({ git: false });
  world.path(".holdfast/x");
  world.workflow("own", yaml);
  return world;
}

describe("the same advance again", () => {
  it("at once returns the first reply and changes nothing", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    const advance = { token: "plan#1", output: "a plan", variables: { colour: "blue" } };
    const first = await world.agent("s1").ok("advance", advance);
    expect(first).toMatchObject({ contextAction: "/compact", token: "build/1#1" });
    const before = world.journal(run);
    for (const face of [world.agent("s1"), world.agent("s2"), world.script()]) {
      expect(await face.ok("advance", advance)).toEqual({ ...first, replayed: true });
    }
    expect(world.journal(run)).toBe(before);
  });

  it("forty advances later, and after the end, still returns the first reply", async () => {
    const world = project();
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "own" });
    const first = await agent.ok("advance", { token: "plan#1", output: "a plan" });
    await agent.ok("next");
    const second = await agent.ok("advance", { token: "build/1#1", output: "pass 1" });
    for (let times = 2; times <= 45; times++) {
      await agent.ok("next");
      await agent.ok("advance", { output: `pass ${times}` });
    }
    const later = [
      [{ token: "plan#1", output: "a plan" }, first],
      [{ token: "build/1#1", output: "pass 1" }, second],
    ] as const;
    for (const [advance, reply] of later) {
      expect(await world.agent("s1").ok("advance", advance)).toEqual({ ...reply, replayed: true });
    }
    const end = await agent.ok("advance", { token: "ship#1", outcome: "yes", output: "shipped" });
    expect(end).toMatchObject({ status: "complete", instructions: "Workflow complete." });
    const before = world.journal(run);
    for (const [advance, reply] of later) {
      expect(await world.agent("s1").ok("advance", { ...advance, run })).toEqual({ ...reply, replayed: true });
    }
    const last = { run, token: "ship#1", outcome: "yes", output: "shipped" };
    expect(await world.agent("s1").ok("advance", last)).toEqual({ ...end, replayed: true });
    expect(world.journal(run)).toBe(before);
  });

  it("that failed is told again too", async () => {
    const world = makeWorld({ git: false });
    world.path(".holdfast/x");
    world.workflow("own", "steps: [{ id: one, type: action, instructions: One, on_fail: retry, max_retries: 1 }]");
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "own" });
    const fail = { token: "one#1", output: "broken", failed: true };
    const first = await agent.ok("advance", fail);
    expect(first).toMatchObject({ token: "one#1~2" });
    expect(await agent.ok("advance", fail)).toEqual({ ...first, replayed: true });
    expect(await agent.no("advance", { ...fail, failed: false })).toMatchObject({ code: "step-stale" });
  });

  it("shows what was shown then, with the template of that time", async () => {
    const world = project();
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "own" });
    await agent.ok("advance", { token: "plan#1", output: "a plan" });
    const advance = { token: "build/1#1", output: "pass 1" };
    await agent.ok("next");
    await agent.ok("advance", advance);
    const first = await agent.ok("next");
    world.workflow("own", yaml.replace("Build after", "Construct after"));
    await world.script().ok("adopt");
    await agent.ok("next");
    await agent.ok("advance", { token: "build/2#1", output: "pass 2" });
    const again = await agent.ok("advance", advance);
    expect(first).toMatchObject({ instructions: expect.stringContaining("Build after a plan") });
    expect(again).toMatchObject({ contextAction: "/compact", token: "build/2#1", replayed: true });
    expect(await agent.ok("next")).toMatchObject({ instructions: expect.stringContaining("Construct after a plan") });
  });
});

describe("another advance for a spent visit", () => {
  it("is refused with the current visit, and changes nothing", async () => {
    const world = project();
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "own" });
    await agent.ok("advance", { token: "plan#1", output: "a plan" });
    const before = world.journal(run);
    const stale = { code: "step-stale", sent: "plan#1", spent: true, open: ["build/1#1"] };
    expect(await agent.no("advance", { token: "plan#1", output: "another plan" })).toEqual(stale);
    expect(await agent.no("advance", { token: "plan#1", output: "a plan", failed: true })).toEqual(stale);
    expect(await agent.no("advance", { token: "nope#9", output: "a plan" })).toMatchObject({
      code: "step-stale",
      spent: false,
    });
    expect(world.journal(run)).toBe(before);
  });

  it("is refused forty advances later, and after the end", async () => {
    const world = project();
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "own" });
    await agent.ok("advance", { token: "plan#1", output: "a plan" });
    for (let times = 1; times <= 45; times++) {
      await agent.ok("next");
      await agent.ok("advance");
    }
    const other = { run, token: "plan#1", output: "another plan" };
    expect(await agent.no("advance", other)).toMatchObject({ code: "step-stale", open: ["ship#1"] });
    await agent.ok("advance", { outcome: "yes" });
    expect(await agent.no("advance", other)).toEqual({ code: "run-ended", status: "complete", outputIgnored: true });
  });
});

describe("two processes over one folder", () => {
  it("take turns, each seeing what the other has done", async () => {
    const world = project();
    const [a, b] = [world.agent("s1"), world.agent("s2")];
    await a.ok("start", { workflow: "own" });
    await b.ok("next");
    for (let times = 0; times < 10; times++) {
      const { token } = await (times % 2 === 0 ? a : b).ok("next");
      await (times % 2 === 0 ? a : b).ok("advance", { token: token ?? undefined, output: `turn ${times}` });
    }
    expect(await a.ok("status")).toMatchObject({ ralphIteration: 10 });
    expect(await b.ok("status")).toMatchObject({ ralphIteration: 10 });
  });

  it("that advance at once are told: one wins, the other is stale", async () => {
    const world = project();
    const [a, b] = [world.agent("s1"), world.agent("s2")];
    await a.ok("start", { workflow: "own" });
    await b.ok("next");
    for (let times = 0; times < 10; times++) {
      const outcomes = await Promise.all([
        a.ask("advance", { output: `a ${times}` }),
        b.ask("advance", { output: `b ${times}` }),
      ]);
      expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
      expect(outcomes.find(({ ok }) => !ok)).toMatchObject({ refusal: { code: "step-stale" } });
      await a.ok("next");
      await b.ok("next");
    }
    expect(await a.ok("status")).toMatchObject({ ralphIteration: 10 });
  });

  it("that name neither a visit nor a session mean the visit that each of them saw", async () => {
    const world = project();
    await world.script().ok("start", { workflow: "own" });
    for (let times = 0; times < 10; times++) {
      await world.script().ok("next");
      const outcomes = await Promise.all(
        ["a", "b", "c"].map((name) => world.script().ask("advance", { output: `${name} ${times}` })),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    }
    expect(await world.script().ok("status")).toMatchObject({ ralphIteration: 10 });
  });

  it("that send the very same advance at once move the run by one visit, and one is told that it came before", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    const advance = { token: "plan#1", output: "a plan" };
    const replies = await Promise.all([1, 2, 3].map((n) => world.agent(`s${n}`).ok("advance", advance)));
    expect(replies.filter((reply) => reply.replayed === true)).toHaveLength(2);
    expect(await world.agent().ok("status")).toMatchObject({ token: "build/1#1" });
  });

  it("keep apart a session that was overtaken: its next advance is stale until it has looked", async () => {
    const world = project();
    const [a, b] = [world.agent("s1"), world.agent("s2")];
    await a.ok("start", { workflow: "own" });
    await b.ok("next");
    await b.ok("advance", { output: "b was faster" });
    expect(await a.no("advance", { output: "mine" })).toMatchObject({ code: "step-stale", sent: "plan#1" });
    await a.ok("next");
    expect(await a.ok("advance", { output: "mine" })).toMatchObject({ token: "build/2#1" });
  });
});
