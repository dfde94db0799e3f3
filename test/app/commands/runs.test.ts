import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { operations } from "../../../src/app/operations.ts";
import { contentOf, type Face, makeWorld, type World, type WorldOptions } from "../world.ts";

const three = `steps:
  - { id: one, type: action, instructions: One }
  - { id: two, type: action, instructions: Two }
  - { id: three, type: action, instructions: Three }`;

function project(options: WorldOptions = { git: false }): World {
  const world = makeWorld(options);
  world.workflow("own", three);
  world.workflow("other", three);
  return world;
}

async function runIds(face: Face): Promise<string[]> {
  return (await face.ok("runs")).runs.map(({ runId }) => runId);
}

describe("starting a workflow", () => {
  it("makes a run whose id tells the workflow and the moment", async () => {
    const world = project();
    world.pass(61.5);
    const status = await world.agent("s1").ok("start", { workflow: "own", summary: "Add dark mode" });
    expect(status).toMatchObject({
      runId: "own-20260131_010130-0001",
      workflow: "own",
      status: "running",
      step: "one",
      summary: "Add dark mode",
      token: "one#1",
    });
  });

  it("twice returns the live run and changes nothing", async () => {
    const world = project();
    const first = await world.agent("s1").ok("start", { workflow: "own", summary: "first" });
    const before = contentOf(world.project);
    const live = { ...first, note: "already live; nothing was started" };
    for (const again of [{ workflow: "own" }, { workflow: "own", summary: "first" }]) {
      expect(await world.agent("s1").ok("start", again)).toEqual(live);
      expect(await world.script().ok("start", again)).toEqual(live);
    }
    expect(await world.agent("s1").no("start", { workflow: "own", summary: "second" })).toMatchObject({
      code: "request-differs",
    });
    expect(contentOf(world.project)).toEqual(before);
  });

  it("again from another session binds that session and nothing else", async () => {
    const world = project();
    const { runId } = await world.agent("s1").ok("start", { workflow: "own" });
    await world.agent("s2").ok("start", { workflow: "own" });
    expect((await world.agent().events()).slice(2)).toMatchObject([
      { type: "visit-taken", token: "one#1", session: "s2" },
    ]);
    expect(await runIds(world.agent())).toEqual([runId]);
  });

  it("anew on request makes another run", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    await world.agent("s1").ok("start", { workflow: "own", another: true });
    expect(await runIds(world.agent())).toEqual(["own-20260131_000000-0002", "own-20260131_000000-0001"]);
  });

  it("is no obstacle to another workflow", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    expect(await world.agent("s2").ok("start", { workflow: "other" })).toMatchObject({ workflow: "other" });
    expect(await world.agent("s1").ok("advance")).toMatchObject({ workflow: "own", step: "two" });
    expect(await world.agent("s2").ok("status")).toMatchObject({ workflow: "other", step: "one" });
  });

  it("in another worktree makes a run there, of the same workflow", async () => {
    const world = project({ git: true });
    world.commit();
    const linked = world.worktree("feature-x");
    await world.agent("s1").ok("start", { workflow: "own" });
    await world.agent("s2", linked).ok("start", { workflow: "own" });
    const { runs } = await world.agent().ok("runs");
    expect(runs.map(({ runId, worktree }) => [runId, worktree])).toEqual([
      ["own-20260131_000000-0002", "feature-x"],
      ["own-20260131_000000-0001", null],
    ]);
  });

  it("after the last one has ended makes a new one", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    await world.agent("s1").ok("abort");
    expect(await world.agent("s1").ok("start", { workflow: "own" })).toMatchObject({
      runId: "own-20260131_000000-0002",
    });
  });

  it("finds the live run even while its file is broken, or gone", async () => {
    const world = project();
    const started = await world.agent("s1").ok("start", { workflow: "own" });
    const first = { ...started, note: "already live; nothing was started" };
    world.write(".holdfast/workflows/own.yaml", "name: [half written");
    expect(await world.agent("s1").ok("start", { workflow: "own" })).toEqual({ ...first, driftedTemplate: true });
    expect(await world.agent("s1").no("start", { workflow: "own", another: true })).toMatchObject({
      code: "template-invalid",
    });
    rmSync(world.path(".holdfast/workflows/own.yaml"));
    expect(await world.agent("s1").ok("start", { workflow: "own" })).toEqual(first);
  });

  it("is refused by name with what there is, and leaves nothing", async () => {
    const world = project();
    const before = contentOf(world.project);
    for (const workflow of ["nope", "../own", "docs/nope.yaml", "/etc/passwd", "__proto__"]) {
      const refusal = await world.agent().no("start", { workflow });
      expect(refusal).toMatchObject({ code: "workflow-unknown", workflow });
      expect(refusal.code === "workflow-unknown" && refusal.known).toContain("own");
    }
    expect(contentOf(world.project)).toEqual(before);
  });

  it("by the path of a file works, and the run finds its file again", async () => {
    const world = project();
    world.write("docs/flow.yaml", `name: named otherwise\ndescription: d\n${three}\n`);
    const agent = world.agent("s1");
    expect(await agent.ok("start", { workflow: "docs/flow.yaml" })).toMatchObject({ workflow: "named otherwise" });
    world.write("docs/flow.yaml", `name: named otherwise\ndescription: d\n${three.replace("One", "First")}\n`);
    expect(await agent.ok("status")).toMatchObject({ driftedTemplate: true });
    expect(await world.script().ok("adopt")).toMatchObject({ instructions: expect.stringContaining("First") });
  });

  it("whose name is not its file's never meets the workflow of that name", async () => {
    const world = project();
    world.write(".holdfast/workflows/mine.yaml", `name: feature\ndescription: not the built-in one\n${three}\n`);
    const agent = world.agent("s1");
    expect(await agent.ok("start", { workflow: "mine" })).not.toHaveProperty("driftedTemplate");
    expect(await world.script().ok("adopt")).toMatchObject({ workflow: "feature", step: "one" });
    expect(await world.person().ok("reset")).toMatchObject({ workflow: "feature", step: "one" });
  });

  it.each([
    ["trimmed, without control characters", "  Add\u0007 \u001b[1mdark\u0000 mode\r\n ", "Add [1mdark mode"],
    ["blank", " \n\t ", undefined],
    ["absent", undefined, undefined],
    ["exactly 100 characters", "x".repeat(100), "x".repeat(100)],
    ["longer", "x".repeat(101), `${"x".repeat(97)}...`],
    ["longer, in characters that take two units", "🚀".repeat(101), `${"🚀".repeat(97)}...`],
  ])("keeps a summary that is %s", async (_, summary, kept) => {
    const status = await project().agent().ok("start", { workflow: "own", summary });
    expect("summary" in status ? status.summary : undefined).toBe(kept);
  });

  it.each([
    ["feature", "feature"],
    ["Build the API (v2)!", "build-the-api-v2"],
    ["日本語", "w-77710a"],
    ["Ärger im Büro", "rger-im-b-ro-040392"],
    ["x".repeat(100), "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-09ecb6"],
  ])("calls a run of %s after it", async (name, slug) => {
    const world = makeWorld({ git: false });
    world.write(".holdfast/workflows/own.yaml", `name: "${name}"\ndescription: d\n${three}\n`);
    const { runId } = await world.agent().ok("start", { workflow: "own" });
    expect(runId).toBe(`${slug}-20260131_000000-0001`);
  });

  it("works in a path with spaces and letters of any script, without git", async () => {
    const world = makeWorld({ git: false, folder: "mein Projekt Ω 日本 🚀" });
    world.workflow("own", three.replace("One", "'Look at {project_root}/docs'"));
    const status = await world.agent().ok("start", { workflow: "own" });
    expect("instructions" in status && status.instructions).toContain(`Look at ${world.project}/docs`);
    expect(world.journal("own-20260131_000000-0001")).not.toContain(world.project);
  });
});

describe("which run is meant", () => {
  const A = "own-20260131_000000-0001";
  const B = "other-20260131_000000-0002";

  async function two(): Promise<World> {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    await world.agent("s2").ok("start", { workflow: "other" });
    return world;
  }

  it("is the one that is named, whatever else would speak for another", async () => {
    const world = await two();
    expect(await world.agent("s1").ok("status", { run: B })).toMatchObject({ runId: B });
    expect(await world.agent("s1").ok("advance", { run: B })).toMatchObject({ runId: B, step: "two" });
  });

  it("is the one that the session is bound to", async () => {
    const world = await two();
    expect(await world.agent("s1").ok("status")).toMatchObject({ runId: A });
    expect(await world.agent("s2").ok("status")).toMatchObject({ runId: B });
  });

  it("is the one that the session was in last, whoever else moved the other", async () => {
    const world = await two();
    world.pass(1);
    await world.agent("s1").ok("next", { run: B });
    world.pass(1);
    await world.agent("s3").ok("advance", { run: A });
    expect(await world.agent("s1").ok("status")).toMatchObject({ runId: B });
    world.pass(1);
    await world.agent("s1").ok("next", { run: A });
    expect(await world.agent("s1").ok("status")).toMatchObject({ runId: A });
  });

  it("is the one whose own worktree this is", async () => {
    const world = project({ git: true });
    world.commit();
    const linked = world.worktree("feature-x");
    await world.script({}, linked).ok("start", { workflow: "own" });
    await world.script().ok("start", { workflow: "other" });
    expect(await world.script({}, linked).ok("status")).toMatchObject({ workflow: "own" });
    expect(await world.script().ok("status")).toMatchObject({ workflow: "other" });
    const third = world.worktree("feature-y");
    expect(await world.script({}, third).no("status")).toMatchObject({ code: "run-ambiguous" });
  });

  it("is the only live one, from any worktree and any session", async () => {
    const world = project({ git: true });
    world.commit();
    await world.agent("s1").ok("start", { workflow: "own" });
    expect(await world.agent("s9", world.worktree("feature-x")).ok("status")).toMatchObject({ runId: A });
  });

  it("is asked, with the choice, where several could be", async () => {
    const world = await two();
    expect(await world.agent("s3").no("status")).toEqual({ code: "run-ambiguous", runs: [B, A] });
    expect(await world.agent("s3").no("advance")).toMatchObject({ code: "run-ambiguous" });
    expect(await world.person().no("abort")).toMatchObject({ code: "run-ambiguous" });
    await world.person().ok("abort", { run: A });
    expect(await world.agent("s3").ok("status")).toMatchObject({ runId: B });
  });

  it("is none where none is live", async () => {
    const world = project();
    expect(await world.agent().no("status")).toEqual({ code: "run-unknown", run: null });
    await world.agent("s1").ok("start", { workflow: "own" });
    await world.agent("s1").ok("abort");
    expect(await world.agent("s1").no("advance")).toMatchObject({ code: "run-ended" });
    expect(await world.agent("s2").no("advance")).toEqual({ code: "run-unknown", run: null });
    expect(await world.agent("s1").ok("status", { run: A })).toMatchObject({ status: "aborted" });
  });

  it("cannot be a path or a word that is no run", async () => {
    const world = await two();
    for (const run of ["nope", "", "../own", "__proto__", `../runs/${A}`, `${A}/`, "own-20260131_000000-zzzz"]) {
      expect(await world.agent().no("status", { run })).toEqual({ code: "run-unknown", run });
    }
  });
});

describe("looking", () => {
  it("changes no byte, whoever looks", async () => {
    const world = makeWorld({ git: false });
    world.workflow("own", "steps: [{ id: one, type: ralph, n: 3, context: compact, instructions: One }]");
    const { runId } = await world.agent("s1").ok("start", { workflow: "own" });
    const before = contentOf(world.project);
    for (const face of [world.agent("s1"), world.agent("s2"), world.person(), world.script()]) {
      await face.ok("status");
      await face.ok("overview");
      await face.ok("log");
      await face.ok("show", { event: 1 });
      await face.ok("runs");
      await face.ok("context");
      await face.no("status", { run: "nope" });
    }
    expect(contentOf(world.project)).toEqual(before);
    expect(await world.agent("s1").ok("log", { run: runId, after: 2 })).toMatchObject({ events: [{ seq: 3 }] });
  });

  it("shows a run at one glance", async () => {
    const world = makeWorld({ git: false });
    world.workflow(
      "own",
      `loops: { build: [{ id: code, instructions: Code, gate: [{ exists: x }, { approval: human }] }] }
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: build, type: loop, budget: { turns: 9, minutes: 30 }, context: clear }
  - { id: ship, type: action, instructions: Ship }`,
    );
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "own" });
    await agent.ok("advance");
    const tasks = [
      { id: "t1", title: "One" },
      { id: "t2", title: "Two" },
    ];
    await agent.ok("tasks", { loop: "build", tasks });
    world.pass(5);
    expect(await agent.ok("overview")).toMatchObject({
      startedAt: "2026-01-31T00:00:00.000Z",
      until: "2026-01-31T00:05:00.000Z",
      steps: [
        { id: "plan", status: "done", visits: 1, tasks: null },
        { id: "build", status: "open", visits: 1, tasks: "1/2" },
        { id: "ship", status: "ahead", visits: 0, tasks: null },
      ],
      gates: ["exists x", "a person's approval"],
      budget: "0 of 9 turns, 30 minutes at most",
      contextActionDue: null,
    });
  });

  it("at an event that is not there says which there are", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    expect(await world.agent("s1").no("show", { event: 99 })).toEqual({ code: "event-unknown", event: 99, last: 2 });
  });

  it("lists runs by when they moved last", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    world.pass(1);
    await world.agent("s2").ok("start", { workflow: "other" });
    world.pass(1);
    await world.agent("s1").ok("advance");
    expect(await runIds(world.agent())).toEqual(["own-20260131_000000-0001", "other-20260131_000100-0002"]);
    await world.agent("s1").ok("abort");
    const { runs } = await world.agent().ok("runs", { live: true });
    expect(runs.map(({ workflow }) => workflow)).toEqual(["other"]);
  });
});

describe("a run whose own worktree was removed", () => {
  it("can still be seen, moved and ended from another one", async () => {
    const world = project({ git: true });
    world.commit();
    const linked = world.worktree("feature-x");
    await world.agent("s1", linked).ok("start", { workflow: "own" });
    rmSync(linked, { recursive: true });
    expect(await world.agent("s1").ok("status")).toMatchObject({ step: "one" });
    expect(await world.agent("s1").ok("advance")).toMatchObject({ step: "two" });
    expect(await world.agent("s1").ok("abort")).toMatchObject({ status: "aborted" });
  });

  it("is reset into the worktree that we are in", async () => {
    const world = project({ git: true });
    world.commit();
    const linked = world.worktree("feature-x");
    await world.agent("s1", linked).ok("start", { workflow: "own" });
    rmSync(linked, { recursive: true });
    await world.person().ok("reset");
    const { runs } = await world.agent().ok("runs", { live: true });
    expect(runs.map(({ worktree }) => worktree)).toEqual([null]);
  });
});

describe("a large output", () => {
  it("of a million characters is kept whole and shown shortened", async () => {
    const world = makeWorld({ git: false });
    world.workflow(
      "own",
      `steps:
  - { id: one, type: action, instructions: One }
  - { id: two, type: action, instructions: "After {outputs.one}" }`,
    );
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "own" });
    const output = ',"hash":"'.repeat(111_111);
    const status = await agent.ok("advance", { output });
    expect("instructions" in status && status.instructions.length).toBeLessThan(9_000);
    const ended = (await world.agent().events()).find(({ type }) => type === "visit-ended");
    expect(ended).toMatchObject({ output });
    expect(await world.agent("s1").ok("advance", { token: "one#1", output })).toMatchObject({ replayed: true });
  });

  it("of more is refused before anything is read or written", () => {
    const parsed = operations.advance.input.safeParse({ output: "x".repeat(1_000_001) });
    expect(parsed.error?.issues).toMatchObject([{ path: ["output"], code: "too_big", maximum: 1_000_000 }]);
    expect(operations.advance.input.safeParse({ output: "x".repeat(1_000_000) }).success).toBe(true);
  });

  it("with every sign that a text can hold comes back as it was", async () => {
    const world = project();
    const agent = world.agent("s1");
    await agent.ok("start", { workflow: "own" });
    const output = '\u0000\u001b[31m "quoted" \\ {"format":1,"version":9,\r\n\u2028 日本 🚀 {vars.x} $& {{';
    await agent.ok("advance", { output });
    expect((await world.agent().events()).find(({ type }) => type === "visit-ended")).toMatchObject({ output });
  });
});

describe("removing runs", () => {
  const A = "own-20260131_000000-0001";

  async function ended(): Promise<World> {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    await world.agent("s1").ok("abort");
    return world;
  }

  it("needs a confirmation", async () => {
    const world = await ended();
    const what = `this permanently removes ${A}`;
    expect(await world.script().no("rm", { run: A })).toEqual({ code: "confirmation-needed", what });
    const declining = world.script({ isTerminal: true, confirm: async () => false });
    expect(await declining.no("rm", { run: A })).toEqual({ code: "confirmation-needed", what });
    expect(await runIds(world.agent())).toEqual([A]);
    const questions: string[] = [];
    const person = world.script({ isTerminal: true, confirm: async (question) => questions.push(question) > 0 });
    expect(await person.ok("rm", { run: A })).toEqual({ removed: [A] });
    expect(questions).toEqual([`${what}. Continue?`]);
    expect(await runIds(world.agent())).toEqual([]);
    expect(contentOf(world.runFolder(A))).toEqual({});
    expect(await person.no("rm", { run: A, yes: true })).toEqual({ code: "run-unknown", run: A });
  });

  it("is refused for a live one and for what is no run", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    expect(await world.person().no("rm", { run: A, yes: true })).toEqual({ code: "run-live", run: A });
    for (const run of ["../../..", ".", "nope"]) {
      expect(await world.person().no("rm", { run, yes: true })).toEqual({ code: "run-unknown", run });
    }
    expect(await runIds(world.agent())).toEqual([A]);
  });

  it("by age takes the ones that ended so long ago, and asks once", async () => {
    const world = await ended();
    world.pass(60 * 24);
    await world.agent("s2").ok("start", { workflow: "other" });
    await world.agent("s2").ok("abort");
    await world.agent("s3").ok("start", { workflow: "other" });
    expect(await world.script().ok("gc")).toEqual({ removed: [] });
    world.pass(60 * 24 * 29);
    expect(await world.script().no("gc")).toMatchObject({
      code: "confirmation-needed",
      what: expect.stringContaining(A),
    });
    expect(await world.script().ok("gc", { yes: true })).toEqual({ removed: [A] });
    expect(await world.script().no("gc", { days: 0 })).toMatchObject({ code: "confirmation-needed" });
    expect(await world.person().ok("gc", { days: 0 })).toEqual({ removed: ["other-20260201_000000-0002"] });
    expect(await runIds(world.agent())).toEqual(["other-20260201_000000-0003"]);
  });
});

describe("a damaged neighbour", () => {
  it("stands in nobody's way but its own, and is named where runs are listed", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    await world.agent("s2").ok("start", { workflow: "other" });
    const run = "own-20260131_000000-0001";
    const file = join(world.runFolder("other-20260131_000000-0002"), "journal.jsonl");
    world.write(file.slice(world.project.length), "nothing that we wrote\n");
    expect(await world.agent("s1").ok("status")).toMatchObject({ step: "one" });
    expect(await world.agent("s1").ok("advance", { run })).toMatchObject({ step: "two" });
    const damaged = { runId: "other-20260131_000000-0002", next: "holdfast repair other-20260131_000000-0002" };
    expect(await world.agent("s1").ok("runs")).toMatchObject({ runs: [{ runId: run }], damaged: [damaged] });
  });

  it("is what a command means when nothing else is live", async () => {
    const world = project();
    await world.agent("s1").ok("start", { workflow: "own" });
    const file = join(world.runFolder("own-20260131_000000-0001"), "journal.jsonl");
    world.write(file.slice(world.project.length), "nothing that we wrote\n");
    await expect(world.agent("s1").ask("status")).rejects.toMatchObject({
      code: "journal-corrupt",
      next: "holdfast repair own-20260131_000000-0001",
    });
  });
});
