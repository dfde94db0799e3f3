import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Face, makeWorld, type World } from "../world.ts";

const yaml = `variables: { scope: "" }
steps:
  - { id: one, type: action, instructions: One }
  - { id: two, type: action, instructions: Two }
  - { id: three, type: action, instructions: Three }`;

const run = "own-20260131_000000-0001";

async function atTwo(): Promise<{ readonly world: World; readonly agent: Face }> {
  const world = makeWorld({ git: false });
  world.path(".holdfast/x");
  world.workflow("own", yaml);
  const agent = world.agent("s1");
  await agent.ok("start", { workflow: "own", summary: "Add dark mode", variables: { scope: "all" } });
  await agent.ok("advance", { output: "done", variables: { colour: "blue" } });
  return { world, agent };
}

describe("a workflow's file that has changed under a run", () => {
  it("is told by the status, and the run goes on with what it started with", async () => {
    const { world, agent } = await atTwo();
    expect(await agent.ok("status")).not.toHaveProperty("driftedTemplate");
    world.workflow("own", yaml.replace("instructions: Two", "instructions: The second"));
    const status = await agent.ok("status");
    expect(status).toMatchObject({ driftedTemplate: true, instructions: expect.stringContaining("Two") });
    expect(await agent.ok("advance")).toMatchObject({ step: "three", driftedTemplate: true });
  });

  it("only in its layout has not changed", async () => {
    const { world, agent } = await atTwo();
    world.workflow("own", `# a comment\n${yaml}\n\n`);
    expect(await agent.ok("status")).not.toHaveProperty("driftedTemplate");
  });

  it("is taken with adopt when the current step is still in it", async () => {
    const { world, agent } = await atTwo();
    world.workflow(
      "own",
      `steps:
  - { id: two, type: action, instructions: The second }
  - { id: between, type: action, instructions: Between }`,
    );
    expect(await world.script().ok("adopt")).toMatchObject({
      step: "two",
      instructions: expect.stringContaining("The second"),
    });
    expect(await agent.ok("status")).not.toHaveProperty("driftedTemplate");
    expect((await agent.events()).at(-1)).toMatchObject({ type: "template-adopted", by: "ada" });
    await agent.ok("next");
    expect(await agent.ok("advance")).toMatchObject({ step: "between" });
  });

  it("is not taken when the current step is gone, and the run stays as it was", async () => {
    const { world, agent } = await atTwo();
    world.workflow("own", "steps: [{ id: one, type: action, instructions: One }]");
    const before = world.journal(run);
    expect(await world.script().no("adopt")).toEqual({
      code: "template-unfit",
      step: "two",
      problem: 'it has no step "two"',
    });
    expect(world.journal(run)).toBe(before);
    expect(await agent.ok("advance")).toMatchObject({ step: "three" });
  });

  it("is not taken while it is broken", async () => {
    const { world, agent } = await atTwo();
    world.workflow("own", "steps: []");
    expect(await agent.ok("status")).toMatchObject({ driftedTemplate: true, step: "two" });
    expect(await world.script().no("adopt")).toMatchObject({ code: "template-invalid" });
  });

  it("is not taken with commands that nobody has trusted", async () => {
    const { world } = await atTwo();
    world.workflow("own", yaml.replace("Two }", "Two, gate: [{ run: touch x }] }"));
    expect(await world.script().no("adopt")).toEqual({
      code: "template-untrusted",
      workflow: "own",
      commands: ["touch x"],
      covers: ["gate of two, at most 10m: touch x"],
      changes: [],
    });
  });

  it("and was deleted leaves the run as it is, with nothing to take", async () => {
    const { world, agent } = await atTwo();
    rmSync(world.path(".holdfast/workflows/own.yaml"));
    expect(await agent.ok("status")).not.toHaveProperty("driftedTemplate");
    expect(await world.script().no("adopt")).toMatchObject({ code: "workflow-unknown", workflow: "own" });
    expect(await agent.ok("advance")).toMatchObject({ step: "three" });
  });

  it("and cannot be read does not keep anyone from looking", async () => {
    const { world, agent } = await atTwo();
    rmSync(world.path(".holdfast/workflows/own.yaml"));
    mkdirSync(world.path(".holdfast/workflows/own.yaml"));
    chmodSync(world.path(".holdfast/workflows/own.yaml"), 0o700);
    expect(await agent.ok("status")).toMatchObject({ step: "two", driftedTemplate: true });
    await expect(world.script().ask("adopt")).rejects.toMatchObject({ code: "file-unreadable" });
  });

  it("that has not changed is taken without a trace", async () => {
    const { world } = await atTwo();
    const before = world.journal(run);
    expect(await world.script().ok("adopt")).toMatchObject({ step: "two" });
    expect(world.journal(run)).toBe(before);
  });

  it("is not taken by a run that has ended", async () => {
    const { world, agent } = await atTwo();
    await agent.ok("abort");
    world.workflow("own", yaml.replace("One", "First"));
    expect(await world.script().no("adopt", { run })).toMatchObject({ code: "run-ended" });
    expect(await agent.ok("status", { run })).not.toHaveProperty("driftedTemplate");
  });
});

describe("goto", () => {
  it("takes no reason that nobody could read", async () => {
    const { world } = await atTwo();
    expect(() => world.person().ask("goto", { step: "one", reason: "\u200B\u0001" })).toThrow("must not be blank");
  });

  it("moves a run to a step, with a reason and a name", async () => {
    const { world, agent } = await atTwo();
    expect(await world.person().ok("goto", { step: "one", reason: " the design changed " })).toMatchObject({
      step: "one",
      token: "one#2",
      status: "running",
    });
    expect((await agent.events()).find(({ type }) => type === "run-redirected")).toMatchObject({
      to: "one",
      by: "ada",
      reason: "the design changed",
    });
    expect(await agent.no("advance", { token: "two#1" })).toMatchObject({ code: "step-stale", open: ["one#2"] });
  });

  it("knows its steps", async () => {
    const { world } = await atTwo();
    expect(await world.person().no("goto", { step: "nope", reason: "because" })).toEqual({
      code: "step-unknown",
      step: "nope",
      known: ["one", "two", "three"],
    });
  });
});

describe("reset", () => {
  it("aborts the run and starts its workflow anew, with the same summary and variables", async () => {
    const { world, agent } = await atTwo();
    world.pass(1);
    const anew = await world.person().ok("reset");
    expect(anew).toMatchObject({ runId: "own-20260131_000100-0002", step: "one", summary: "Add dark mode" });
    expect(await agent.ok("status", { run })).toMatchObject({
      status: "aborted",
      instructions: "Workflow aborted: reset to own-20260131_000100-0002",
    });
    const [first] = await agent.events(anew.runId);
    expect(first).toMatchObject({ type: "run-started", variables: { scope: "all", colour: "blue" } });
    const { runs } = await agent.ok("runs", { live: true });
    expect(runs).toHaveLength(1);
  });

  it("of a run that has ended starts another and leaves the old one alone", async () => {
    const { world, agent } = await atTwo();
    await agent.ok("abort", { reason: "enough" });
    const before = world.journal(run);
    expect(await world.person().ok("reset", { run })).toMatchObject({ runId: "own-20260131_000000-0002" });
    expect(world.journal(run)).toBe(before);
  });

  it("leaves the run alone when the workflow cannot be started any more", async () => {
    const { world, agent } = await atTwo();
    world.workflow("own", "steps: []");
    expect(await world.person().no("reset")).toMatchObject({ code: "template-invalid" });
    expect(await agent.ok("status")).toMatchObject({ runId: run, step: "two", status: "running" });
  });

  it("keeps the run's own worktree, from wherever it is called", async () => {
    const world = makeWorld();
    world.workflow("own", yaml);
    world.commit();
    const linked = world.worktree("feature-x");
    await world.agent("s1", linked).ok("start", { workflow: "own" });
    await world.person().ok("reset");
    const { runs } = await world.agent().ok("runs", { live: true });
    expect(runs.map(({ worktree }) => worktree)).toEqual(["feature-x"]);
  });
});

describe("pause, resume and abort", () => {
  it("pause stops the agent with the reason, and resume lets it go on where it was", async () => {
    const { world, agent } = await atTwo();
    expect(await world.person().ok("pause", { reason: "waiting for the key" })).toMatchObject({ status: "paused" });
    expect(await agent.no("advance")).toEqual({ code: "run-paused", reason: "waiting for the key" });
    expect(await agent.no("pause")).toMatchObject({ code: "run-paused" });
    expect(await agent.ok("next")).toMatchObject({ status: "paused", step: "two" });
    expect(await world.person().ok("resume")).toMatchObject({ status: "running", step: "two", token: "two#1" });
    expect(await world.person().no("resume")).toEqual({ code: "run-not-paused", status: "running" });
    expect(await agent.ok("advance", { token: "two#1" })).toMatchObject({ step: "three" });
  });

  it("abort ends it for good, keeps what was recorded, and nothing moves any more", async () => {
    const { world, agent } = await atTwo();
    expect(await world.person().ok("abort", { reason: "not needed" })).toMatchObject({
      status: "aborted",
      instructions: "Workflow aborted: not needed",
      token: null,
    });
    const before = world.journal(run);
    const ended = { code: "run-ended", status: "aborted" };
    expect(await agent.no("advance", { run, output: "late" })).toEqual({ ...ended, outputIgnored: true });
    expect(await agent.no("tasks", { run, loop: "x", tasks: [] })).toMatchObject(ended);
    expect(await world.person().no("goto", { run, step: "one", reason: "r" })).toMatchObject(ended);
    expect(await world.person().no("resume", { run })).toMatchObject(ended);
    expect(await world.person().no("abort", { run })).toMatchObject(ended);
    expect(await agent.ok("next", { run })).toMatchObject({ status: "aborted" });
    expect(world.journal(run)).toBe(before);
    expect(readdirSync(world.runFolder(run)).filter((name) => name.startsWith("."))).toEqual([]);
  });
});
