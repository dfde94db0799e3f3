import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { listOf } from "../../../src/app/todo/show-list.ts";
import { TodoFile } from "../../../src/model/carry.ts";
import { todoMarker } from "../../../src/model/todo.ts";
import { makeWorld, type World } from "../world.ts";

const nobody = 65_534;
const isRoot = process.geteuid?.() === 0;

const steps = `
steps:
  - { id: plan, type: action, instructions: x }
  - { id: build, type: action, instructions: y }
`;

async function begin(artifacts = "") {
  const world = makeWorld();
  world.workflow("own", artifacts + steps);
  const agent = world.agent("s1");
  const { runId } = await agent.ok("start", { workflow: "own" });
  await agent.ok("todo", { content: "- [ ] one" });
  return { world, agent, runId };
}

/** As a user whom the rights of files hold for, and whose the project is. */
async function asUser(world: World, act: () => Promise<void>): Promise<void> {
  if (isRoot) execFileSync("chown", ["-R", String(nobody), dirname(world.project)]);
  if (isRoot) process.seteuid?.(nobody);
  try {
    await act();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe("a list that cannot be read", () => {
  it("is told beside the instructions, and stops nothing", async () => {
    const { world, agent } = await begin();
    chmodSync(world.path("TODO.md"), 0);
    await asUser(world, async () => {
      const todo = "TODO.md cannot be read: access is denied";
      expect(await agent.ok("status")).toMatchObject({ token: "plan#1", todo });
      expect(await agent.ok("next")).toMatchObject({ token: "plan#1", todo });
      expect(await agent.ok("advance", { output: "planned" })).toMatchObject({ token: "build#1", todo });
    });
  });

  it.each([{}, { content: "- [ ] two" }])("is neither shown nor replaced (%j)", async (input) => {
    const { world, agent } = await begin();
    chmodSync(world.path("TODO.md"), 0);
    await asUser(world, async () => {
      expect(await agent.no("todo", input)).toEqual({
        code: "todo-blocked",
        file: "TODO.md",
        problem: "it cannot be read: access is denied",
      });
    });
    chmodSync(world.path("TODO.md"), 0o600);
    expect(world.read("TODO.md")).toContain("- [ ] one");
  });
});

describe("an advance that has been made is answered", () => {
  it("when the workflows cannot be read any more", async () => {
    const { world, agent } = await begin();
    chmodSync(world.path(".holdfast/workflows"), 0);
    await asUser(world, async () => {
      expect(await agent.ok("advance", { output: "planned" })).toMatchObject({ token: "build#1" });
    });
    chmodSync(world.path(".holdfast/workflows"), 0o755);
  });

  it("when the settings that say what artifacts may read cannot be understood", async () => {
    const artifact = "{ id: note, type: text, path: README.md, reload_triggers: [step_start:build] }";
    const { world, agent } = await begin(`critical_artifacts: { always_load: [${artifact}] }`);
    const file = world.config("config.yaml", "trust: [\n");
    const reply = await agent.ok("advance", { output: "planned" });
    expect(reply).toMatchObject({ token: "build#1" });
    expect("artifacts" in reply && reply.artifacts).toMatch(`Critical artifacts were not loaded: ${file}`);
  });
});

describe("the file that a state names", () => {
  const runId = "own-20260131_000000-0001";

  it.each(["TODO.md", `TODO.${runId}.md`])("may be %s", (file) => {
    expect(TodoFile.safeParse({ file, hash: "" }).success).toBe(true);
  });

  it.each([
    ["behind a parent", "../../x"],
    ["below a file", "README.md/x"],
    ["with a NUL byte", "TODO.md\0"],
    ["with a line end", "TODO.md\n"],
    ["of any length", `TODO.${"x".repeat(5_000)}.md`],
    ["in a folder", "TODO.../x.md"],
    ["without a name", ""],
  ])("is none %s: no schema takes it, and nobody looks there", (_where, file) => {
    expect(TodoFile.safeParse({ file, hash: "" }).success).toBe(false);
    expect(listOf(makeWorld().project, { runId, todo: { file, hash: "" } })).toBeNull();
  });

  it("is never one outside of the project, even if it says that it is this run's list", () => {
    const world = makeWorld();
    world.write("../x", `${todoMarker(runId)}\n\n- [ ] theirs\n`);
    expect(listOf(world.project, { runId, todo: { file: "../x", hash: "" } })).toBeNull();
  });
});
