import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Caller } from "../../../src/operation/operation.ts";
import { createFace, type Face, makeWorld } from "../world.ts";

const instructionsFor = async (face: Face, run?: string): Promise<string> => {
  const reply = await face.ok("next", { run });
  return "instructions" in reply ? String(reply.instructions) : "";
};

/** A server that is asked again and again keeps what it has shown; here is what must be new all the same. */
describe("a server that is asked again before the run moves", () => {
  it("names the project's own folder once the run's worktree is gone", async () => {
    const world = makeWorld({});
    world.workflow("own", 'steps:\n  - { id: work, type: action, instructions: "Work in {project_root}." }');
    const there = world.worktree("side");
    const { runId } = await world.agent("maker", there).ok("start", { workflow: "own" });
    const server = world.agent("reader");
    expect(await instructionsFor(server, runId)).toContain(`Work in ${there}.`);
    world.git("worktree", "remove", "--force", there);
    expect(await instructionsFor(server, runId)).toContain(`Work in ${world.project}.`);
  });

  it("writes the file with a long request again", async () => {
    const world = makeWorld({ git: false });
    world.workflow("own", 'steps:\n  - { id: work, type: action, instructions: "Do this:\\n{run.request}" }');
    const server = world.agent();
    await server.ok("start", { workflow: "own", request: "x".repeat(90_000) });
    const [, path = ""] = /read @(\S+) for the whole request/.exec(await instructionsFor(server)) ?? [];
    rmSync(join(world.project, path));
    await instructionsFor(server);
    expect(existsSync(join(world.project, path))).toBe(true);
  });

  it("tells every reader the same as a server that has shown nothing yet", async () => {
    const world = makeWorld({ git: false });
    world.workflow(
      "own",
      `loops: { build: [{ id: make, instructions: "Make {task.title} by {outputs.plan}" }] }
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: build, type: loop, parallel: 3 }`,
    );
    const server = world.agent("one");
    const { runId } = await server.ok("start", { workflow: "own" });
    await server.ok("advance", { output: "the plan" });
    const tasks = ["a", "b", "c"].map((id) => ({ id, title: `Task ${id}` }));
    await server.ok("tasks", { run: runId, loop: "build", tasks });
    for (const task of ["a", "c"]) await server.ok("next", { run: runId, task });
    const { token } = await world.agent("two").ok("next", { run: runId, task: "b" });
    const readers = ["one", "two", "three", undefined].flatMap((session) =>
      [undefined, null, token].flatMap((visit) =>
        [
          { face: "mcp" },
          { face: "cli" },
          { words: "printed" },
          { words: "called" },
          { words: "called", knows: () => true },
        ].map((how) => ({ session, visit, ...how }) as Partial<Caller>),
      ),
    );
    const statusFor = async (face: Face, reader: Partial<Caller>) =>
      createFace({ ...face.deps, caller: { ...face.deps.caller, ...reader } }).ok("status", { run: runId });
    for (const reader of [...readers, ...readers.toReversed()]) {
      expect(await statusFor(server, reader)).toEqual(await statusFor(world.agent("one"), reader));
    }
  });

  it("tells what a person has changed meanwhile", async () => {
    const world = makeWorld({ git: false });
    world.workflow("own", "steps:\n  - { id: work, type: action, instructions: Work }");
    const server = world.agent();
    const { runId } = await server.ok("start", { workflow: "own" });
    await instructionsFor(server, runId);
    await world.person().ok("pause", { run: runId, reason: "Wait for me" });
    expect(await server.ok("next", { run: runId })).toMatchObject({ status: "paused" });
  });
});
