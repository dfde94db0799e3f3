import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { handleHookEvent } from "../../../src/app/continuity/events/handle-hook-event.ts";
import { createServerPorts } from "../../../src/app/continuity/ports/server-ports.ts";
import { machineOf } from "../../../src/app/privacy/portable-text.ts";
import { recordShown, settleShown } from "../../../src/app/shown/shown-log.ts";
import { sha256Hex } from "../../../src/platform/files.ts";
import { makePipe } from "../../store/project.ts";
import { type Face, makeWorld, type World } from "../world.ts";
import { toolCaller } from "./call.ts";

let world: World;

beforeEach(() => {
  world = makeWorld();
  world.workflow(
    "walk",
    `steps:
  - { id: plan, type: action, instructions: "Plan it" }
  - { id: build, type: action, instructions: "Build it" }
  - { id: ship, type: action, instructions: "Ship it" }`,
  );
});

const secret = "hunter2-hunter2";

function agentWith(session = "s1"): Face {
  return world.script({ session, env: { CLAUDECODE: "1", DEPLOY_TOKEN: secret } });
}

/** A run whose agent was shown its first two steps. */
async function shownRun() {
  const face = agentWith();
  const call = toolCaller(face.deps);
  const started = await call("workflow_start", { workflow: "walk" });
  const { runId } = JSON.parse(started) as { runId: string };
  const planned = await lastEvent(runId);
  const advanced = await call("workflow_advance", { output: "planned" });
  return { face, call, runId, started, planned, advanced, built: await lastEvent(runId) };
}

async function lastEvent(runId: string): Promise<number> {
  return (await world.person().events(runId)).length;
}

const handoff = (runId: string, at?: number) => world.person().ok("handoff", { run: runId, at });

/** The file, with the last reply in it: that is written after it was sent. */
function shownFile(runId: string): string {
  settleShown();
  return join(world.runFolder(runId), "shown.jsonl");
}

describe("what the model was shown", () => {
  test("is the text itself at the event of the reply, and until it was shown another", async () => {
    const { runId, started, planned, advanced, built } = await shownRun();
    expect(await handoff(runId, planned)).toEqual({
      runId,
      event: planned,
      recorded: { at: "2026-01-31T00:00:00.000Z", event: planned, kind: "tool", session: "s1" },
      text: started,
    });
    expect(await handoff(runId, built)).toMatchObject({ recorded: { event: built }, text: advanced });
    // The first step was left: what the agent knew was still the text of that step.
    expect((await handoff(runId, planned + 1)).text).toBe(started);
  });

  test("is the last text, also where another process has shown one in between", async () => {
    const { call, runId, built } = await shownRun();
    const status = await call("workflow_status", {});
    expect((await handoff(runId, built)).text).toBe(status);
    const [line = ""] = readFileSync(shownFile(runId), "utf8").trim().split("\n").slice(-1);
    const other = { ...JSON.parse(line), kind: "command", text: "next", hash: sha256Hex("next") };
    appendFileSync(shownFile(runId), `\n${JSON.stringify(other)}\n`);
    expect((await handoff(runId, built)).text).toBe("next");
    expect(await call("workflow_status", {})).toBe(status);
    expect((await handoff(runId, built)).text).toBe(status);
  });

  test("is rebuilt where nothing was recorded of what was open, and nothing is written for it", async () => {
    const { runId, built } = await shownRun();
    await world.person().ok("goto", { run: runId, step: "ship", reason: "it is built" });
    const before = readdirSync(world.runFolder(runId)).sort();
    const moved = await handoff(runId, await lastEvent(runId));
    expect(moved).toMatchObject({ recorded: null, text: expect.stringContaining("Ship it") });
    rmSync(shownFile(runId));
    expect(await handoff(runId, built)).toMatchObject({ recorded: null, text: expect.stringContaining("Build it") });
    expect(readdirSync(world.runFolder(runId)).sort()).toEqual(before.filter((name) => name !== "shown.jsonl"));
  });

  test("is what the run came to at its end, rebuilt too", async () => {
    const { call, runId } = await shownRun();
    await call("workflow_advance", { output: "built" });
    const last = await call("workflow_advance", { output: "shipped" });
    const end = await lastEvent(runId);
    expect((await handoff(runId, end)).text).toBe(last);
    rmSync(shownFile(runId));
    expect(await handoff(runId, end)).toMatchObject({ recorded: null, text: expect.stringMatching(/\S/) });
    expect(await world.person().no("handoff", { run: runId, at: end + 1 })).toMatchObject({ code: "event-unknown" });
  });

  test("includes refusals, and has neither secrets nor paths of this machine", async () => {
    const { call, runId } = await shownRun();
    world.workflow(
      "guarded",
      `steps: [{ id: a, type: action, instructions: "Go", gate: [{ run: "echo ${secret}; pwd; exit 1" }] }]`,
    );
    await world.person().ok("trust", { workflow: "guarded" });
    const { runId: guarded } = JSON.parse(await call("workflow_start", { workflow: "guarded" })) as { runId: string };
    const refused = await call("workflow_advance", { output: "done", run_id: guarded });
    expect(refused).toContain("gate-failed");
    const { text, recorded } = await handoff(guarded, await lastEvent(guarded));
    expect(recorded?.kind).toBe("tool");
    expect(JSON.parse(text)).toMatchObject({ error: { code: "gate-failed" } });
    const stored = readFileSync(shownFile(guarded), "utf8") + readFileSync(shownFile(runId), "utf8");
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(world.project);
  });

  test("is the handoff of a hook, after a loss of context", async () => {
    const { face, runId } = await shownRun();
    const hook = { session: "s1", host: "claude", via: "project", parent: "1.1" };
    const nothing = { agent: null, transcript: null, trigger: null, reason: null, summaryLength: null };
    const event = { ...nothing, stopActive: false, paths: [], name: "SessionStart", source: "compact" } as const;
    const { context = "" } = await handleHookEvent(await createServerPorts(face.deps), hook, event);
    expect(context).toContain("Build it");
    expect(await handoff(runId, await lastEvent(runId))).toMatchObject({
      recorded: { kind: "handoff", session: "s1" },
      text: context.replaceAll(world.project, "{project_root}"),
    });
  });

  test("does not count if its journal has another history since", async () => {
    const { runId, planned, built } = await shownRun();
    const journal = join(world.runFolder(runId), "journal.jsonl");
    const [first] = readFileSync(journal, "utf8").split("\n");
    writeFileSync(journal, `${first}\nnot a commit\n`);
    await world.person().ok("repair", { run: runId });
    // An operation that is called without a face shows nothing to anybody.
    await world.agent("s1").ok("advance", { output: "planned otherwise" });
    expect(await lastEvent(runId)).toBeGreaterThan(built);
    expect((await handoff(runId, planned)).recorded?.event).toBe(planned);
    const { recorded, text } = await handoff(runId, await lastEvent(runId));
    expect(recorded).toBeNull();
    expect(text).toContain("planned otherwise");
  });

  test("is written once, and named by its hash when it is shown again", async () => {
    const { call, runId, built, advanced } = await shownRun();
    const first = await call("workflow_status", {});
    const size = statSync(shownFile(runId)).size;
    for (let n = 0; n < 5; n++) expect(await call("workflow_status", {})).toBe(first);
    expect(statSync(shownFile(runId)).size - size).toBeLessThan(5 * 400);
    expect(first).not.toBe(advanced);
    expect((await handoff(runId, built)).text).toBe(first);
  });

  test("is not written again while the run stands where it stood, and the agent asks once more", async () => {
    const { call, runId } = await shownRun();
    await call("workflow_status", {});
    const before = readFileSync(shownFile(runId), "utf8");
    await call("workflow_status", {});
    expect(readFileSync(shownFile(runId), "utf8")).toBe(before);
    // The text is lost with the file, so the next reply brings it back.
    rmSync(shownFile(runId));
    await call("workflow_status", {});
    expect(readFileSync(shownFile(runId), "utf8")).toContain("Build it");
  });

  test("keeps at most two files of the given size, the newest texts", async () => {
    const { face, runId } = await shownRun();
    const standing = await face.deps.journal.load(runId);
    if (standing === null) throw new Error("the run is gone");
    for (let n = 0; n < 40; n++) {
      const shown = { at: face.deps.now(), kind: "tool", session: "s1", visit: "build#1" } as const;
      recordShown(machineOf(face.deps), standing, { ...shown, content: `${n} ${"x".repeat(1_000)}` }, 10_000);
    }
    for (const name of ["shown.jsonl", "shown.1.jsonl"]) {
      expect(statSync(join(world.runFolder(runId), name)).size).toBeLessThanOrEqual(10_000);
    }
    expect((await handoff(runId, standing.run.seq)).text).toMatch(/^39 x/);
  });
});

describe("the file of what was shown", () => {
  test.each([
    { name: "a link", put: (path: string) => symlinkSync(world.path("elsewhere"), path) },
    { name: "a pipe", put: makePipe },
    { name: "a folder", put: (path: string) => mkdirSync(path) },
    { name: "rubbish", put: (path: string) => writeFileSync(path, '{"event":1,"commit":7}\n[]\n{"event":2') },
  ])("is of no consequence if $name is in its place", async ({ put }) => {
    const { call, runId, built } = await shownRun();
    rmSync(shownFile(runId));
    put(shownFile(runId));
    expect(await handoff(runId, built)).toMatchObject({ recorded: null });
    expect(await call("workflow_advance", { output: "built" })).toContain("Ship it");
    expect(existsSync(join(world.project, "elsewhere"))).toBe(false);
    expect(await world.person().ok("status", { run: runId })).toMatchObject({ step: "ship" });
  });

  test("may be cut off in the middle of a line: what comes after is read", async () => {
    const { call, runId, advanced, built } = await shownRun();
    appendFileSync(shownFile(runId), '\n{"event":5,"at":"2026');
    const shipped = await call("workflow_advance", { output: "built" });
    expect((await handoff(runId, built)).text).toBe(advanced);
    expect((await handoff(runId, await lastEvent(runId))).text).toBe(shipped);
  });

  test.skipIf(process.getuid?.() === 0)("may be read-only: the run moves all the same", async () => {
    const { call, runId } = await shownRun();
    chmodSync(shownFile(runId), 0o444);
    expect(await call("workflow_advance", { output: "built" })).toContain("Ship it");
  });

  test("is not read if it came with the repository", async () => {
    const { runId, built } = await shownRun();
    world.git("add", "--force", shownFile(runId));
    expect(await handoff(runId, built)).toMatchObject({ recorded: null });
  });

  test("does not travel with the run, and goes with it", async () => {
    const { runId } = await shownRun();
    const { text } = await world.person().ok("export", { run: runId });
    expect(text).not.toContain('"kind":"tool"');
    await world.person().ok("abort", { run: runId });
    await world.person().ok("rm", { run: runId, yes: true });
    expect(existsSync(world.runFolder(runId))).toBe(false);
  });
});
