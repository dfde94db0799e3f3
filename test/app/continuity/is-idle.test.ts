import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { isIdle } from "../../../src/app/continuity/ports/is-idle.ts";
import { isNeeded } from "../../../src/hooks/is-needed.ts";
import { defaultSettings } from "../../../src/project/settings.ts";
import { makeMachines } from "../transfer/machines.ts";
import { createFace, type Face, makeWorld, type World } from "../world.ts";
import { createHosts } from "./hook-ports.ts";

const steps = "steps: [{ id: one, type: action, instructions: One }, { id: two, type: action, instructions: Two }]";
const turnEvents = ["UserPromptSubmit", "PostToolUse", "Stop"] as const;
const otherEvents = ["SessionStart", "PreCompact", "PostCompact", "SessionEnd"] as const;
const allEvents = [...turnEvents, ...otherEvents];

function idleIn(world: World, session = "s1", folder = world.project): string[] {
  return allEvents.filter((event) => isIdle(event, folder, session));
}

async function endedRun(world: World): Promise<string> {
  const { runId } = await world.agent("s1").ok("start", { workflow: "own" });
  await world.person().ok("abort", { run: runId });
  return runId;
}

/** Many runs that have ended, and the memory of that, which is kept once the folder has been left alone for a moment. */
async function rememberedWorld(): Promise<{ readonly world: World; readonly runId: string }> {
  const world = makeWorld();
  world.workflow("own", steps);
  const runId = await endedRun(world);
  for (let n = 0; n < 40; n++) {
    world.write(`.holdfast/runs/own-20260101_0000${10 + n}-aaaa/snapshot.json`, '{"format":1,"ended":true,"more":1}');
  }
  const memory = join(world.project, ".holdfast/cache/ended-runs");
  await expect.poll(() => isIdle("Stop", world.project, "s1") && existsSync(memory)).toBe(true);
  return { world, runId };
}

describe("a hook has nothing to do", () => {
  it("in a project that does not use Holdfast, unless its texts may tell of a workflow", () => {
    const world = makeWorld();
    rmSync(join(world.project, ".holdfast"), { recursive: true, force: true });
    expect(idleIn(world)).toEqual(allEvents);
    const { cards, tracked } = defaultSettings;
    for (const path of [`${cards.folder}/a/state.json`, ...tracked.local, tracked.plans[0]?.replace("*", "p") ?? ""]) {
      world.write(path, "Workflow: one\n");
      expect(idleIn(world)).toEqual([...turnEvents, "PostCompact", "SessionEnd"]);
      rmSync(join(world.project, path));
      rmSync(join(world.project, path.split("/")[0] ?? ""), { recursive: true, force: true });
    }
  });

  it("within a turn without a live run; the other events record the session, which a run may be bound to later", async () => {
    const world = makeWorld();
    world.workflow("own", steps);
    await createHosts(world)().start("s1", "startup");
    expect(idleIn(world)).toEqual(turnEvents);
    await endedRun(world);
    expect(idleIn(world)).toEqual(turnEvents);
  });

  it("only where the whole hook would say nothing and write nothing", async () => {
    const world = makeWorld();
    world.workflow("own", steps);
    const host = createHosts(world)();
    await host.start("s1", "startup");
    await endedRun(world);
    const before = execFileSync("find", [world.project, "-type", "f", "-newermt", "@0", "-printf", "%p %s %T@\n"]);
    for (const event of idleIn(world)) expect(await host.tell("s1", event as "Stop", { paths: ["a.txt"] })).toEqual({});
    const after = execFileSync("find", [world.project, "-type", "f", "-newermt", "@0", "-printf", "%p %s %T@\n"]);
    expect(after.toString()).toBe(before.toString());
  });
});

describe("a hook has something to do", () => {
  it("while a run is live, from any folder of the project and from a linked worktree", async () => {
    const world = makeWorld();
    world.commit();
    const linked = world.worktree("linked");
    mkdirSync(join(world.project, "deep/down"), { recursive: true });
    mkdirSync(join(linked, "deep"));
    world.workflow("own", steps);
    const folders = [world.project, join(world.project, "deep/down"), linked, join(linked, "deep")];
    const idle = () => folders.filter((folder) => isIdle("Stop", folder, "s1"));
    expect(idle()).toEqual(folders);
    await world.agent("s1").ok("start", { workflow: "own" });
    expect(idle()).toEqual([]);
    const git = join(linked, ".git");
    const [, folder = ""] = /^gitdir: (.+)/.exec(readFileSync(git, "utf8")) ?? [];
    writeFileSync(git, `gitdir: ${relative(linked, folder)}\n`);
    expect(idle()).toEqual([]);
  });

  it("after a compaction that a tracked workflow has to survive, for that session alone", async () => {
    const world = makeWorld();
    mkdirSync(join(world.project, ".holdfast"), { recursive: true });
    world.write("CLAUDE.local.md", "# Workflow State\n\nWorkflow: Rope\nPhase: 2/3 - Knots\n");
    const host = createHosts(world)();
    await host.start("s1", "startup");
    await host.start("s2", "startup");
    expect(idleIn(world)).toEqual(turnEvents);
    await host.tell("s1", "PreCompact", { trigger: "auto" });
    expect(idleIn(world, "s1")).toEqual([]);
    expect(idleIn(world, "s2")).toEqual(turnEvents);
    expect(await host.tell("s1", "UserPromptSubmit")).toMatchObject({ context: expect.stringContaining("Rope") });
  });

  it("where the state is behind a link, which is reported elsewhere", () => {
    const world = makeWorld();
    mkdirSync(join(world.project, ".holdfast"), { recursive: true });
    for (const name of ["runs", "sessions", "cache"]) {
      const path = join(world.project, ".holdfast", name);
      rmSync(path, { recursive: true, force: true });
      symlinkSync(tmpdir(), path);
      expect(idleIn(world)).toEqual([]);
      rmSync(path);
    }
    expect(idleIn(world)).toEqual(turnEvents);
  });
});

describe("that all of many runs have ended is remembered", () => {
  it("until another run starts", async () => {
    const { world } = await rememberedWorld();
    // The memory is used: this run would count as live if it were looked at.
    writeFileSync(join(world.project, ".holdfast/runs/own-20260101_000010-aaaa/snapshot.json"), "{}");
    expect(isIdle("Stop", world.project, "s1")).toBe(true);
    await world.agent("s2").ok("start", { workflow: "own" });
    expect(isIdle("Stop", world.project, "s1")).toBe(false);
  });

  it("until a repair revives one of them", async () => {
    const { world, runId } = await rememberedWorld();
    const journal = `.holdfast/runs/${runId}/journal.jsonl`;
    world.write(journal, world.journal(runId).replace("aborted by hand", "aborted by foot"));
    await world.person().ok("repair", { run: runId });
    expect(isIdle("Stop", world.project, "s1")).toBe(false);
  });

  it("until a hook that looks at all runs finds one whose files were put back in place", async () => {
    const { world, runId } = await rememberedWorld();
    const live = makeWorld();
    live.workflow("own", steps);
    const other = await live.agent("s1").ok("start", { workflow: "own" });
    expect(other.runId).toBe(runId);
    // As a backup is restored: neither the folder of runs nor that of the run gets a new entry.
    for (const name of ["journal.jsonl", "snapshot.json"]) {
      writeFileSync(join(world.runFolder(runId), name), readFileSync(join(live.runFolder(runId), name)));
    }
    await createHosts(world)().start("s1", "resume");
    // Of another session, since this one now has a handoff of its own.
    expect(isIdle("Stop", world.project, "s2")).toBe(false);
  });

  it("in a place that a cloned project cannot lead elsewhere", async () => {
    const { world } = await rememberedWorld();
    const memory = join(world.project, ".holdfast/cache/ended-runs");
    rmSync(memory);
    world.write("precious.txt", "mine");
    symlinkSync(join(world.project, "precious.txt"), memory);
    expect(isIdle("Stop", world.project, "s1")).toBe(true);
    expect(world.read("precious.txt")).toBe("mine");
  });
});

describe("a run that becomes live again is not taken for ended, even if the program is killed", () => {
  /** Ends as a killed process does, where the run would be loaded for the first time after the change. */
  const killed = (face: Face) =>
    createFace({ ...face.deps, journal: { ...face.deps.journal, load: () => Promise.reject(new Error("killed")) } });

  it("in a repair", async () => {
    const world = makeWorld();
    world.workflow("own", steps);
    const runId = await endedRun(world);
    world.write(
      `.holdfast/runs/${runId}/journal.jsonl`,
      world.journal(runId).replace("aborted by hand", "aborted by foot"),
    );
    await expect(killed(world.person()).ok("repair", { run: runId })).rejects.toThrow("killed");
    expect(isIdle("Stop", world.project, "s1")).toBe(false);
  });

  it("in an import that replaces it", async () => {
    const { ada, bob } = makeMachines({ own: steps });
    const { runId: run } = await ada.agent().ok("start", { workflow: "own" });
    const before = await ada.script().ok("export", { run });
    await bob.script().ok("import", { text: before.text ?? "", source: "run.holdfast" });
    await bob.agent().ok("advance", { run, output: "one" });
    const { text } = await bob.script().ok("export", { run });
    await ada.person().ok("abort", { run });
    expect(isIdle("Stop", ada.project, "s1")).toBe(true);
    const input = { text: text ?? "", source: "run.holdfast", keep: "file" } as const;
    await expect(killed(ada.person()).ok("import", input)).rejects.toThrow("killed");
    expect(isIdle("Stop", ada.project, "s1")).toBe(false);
  });
});

describe("what a hook knows without its input", () => {
  const words = ["--host", "claude", "--via", "project", "Stop"];
  const cwd = tmpdir();
  const env = { CLAUDE_PID: "7", CLAUDE_CODE_SESSION_ID: "s1", CLAUDE_PROJECT_DIR: cwd };

  it("counts only from the program that started it", () => {
    expect(isNeeded(words, { cwd, env, parent: 7 })).toBe(false);
    expect(isNeeded(words, { cwd, env, parent: 8 })).toBe(true);
    expect(isNeeded(words, { cwd, env: { ...env, CLAUDE_PID: undefined }, parent: 7 })).toBe(true);
    expect(isNeeded(words, { cwd, env: { ...env, CLAUDE_CODE_SESSION_ID: undefined }, parent: 7 })).toBe(true);
    expect(isNeeded(words, { cwd, env: { ...env, CLAUDE_CODE_SESSION_ID: "s".repeat(201) }, parent: 7 })).toBe(true);
  });

  it("is not asked when a person wants to know something", () => {
    for (const word of ["--version", "--help", "-h"]) expect(isNeeded([word], { cwd, env, parent: 7 })).toBe(true);
  });

  it("is of the folder that the agent has gone to, and of the project that it started in", async () => {
    const world = makeWorld();
    world.workflow("own", steps);
    await world.agent("s1").ok("start", { workflow: "own" });
    const { project } = world;
    expect(isNeeded(words, { cwd, env: { ...env, CLAUDE_PROJECT_DIR: project }, parent: 7 })).toBe(true);
    expect(isNeeded(words, { cwd: project, env, parent: 7 })).toBe(true);
  });
});
