import { beforeEach, describe, expect, test } from "vitest";
import type { RunFiles } from "../../../src/serve/contract/run-answers.ts";
import { makeWorld, type World } from "../world.ts";

let world: World;

beforeEach(() => {
  world = makeWorld();
  world.workflow(
    "reading",
    `critical_artifacts:
  always_load:
    - { id: rules, type: markdown, path: RULES.md }
    - { id: notes, type: markdown, path: NOTES.md }
    - { id: later, type: markdown, path: LATER.md, reload_triggers: [manual] }
    - { id: gone, type: markdown, path: GONE.md, required: false }
steps:
  - { id: one, type: action, instructions: Do it }`,
  );
  world.write("RULES.md", "be kind\n");
  world.write("NOTES.md", "first\n");
  world.write("LATER.md", "only when it is asked for\n");
});

const filesOf = (run: string): Promise<RunFiles> => world.script().ok("run-files", { run });
const statesOf = ({ artifacts }: RunFiles) => artifacts?.map(({ id, state }) => `${id} ${state}`);

describe("the files of a run", () => {
  test("are compared with what the model was given", async () => {
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "reading" });
    expect(statesOf(await filesOf(runId))).toEqual(["rules fresh", "notes fresh", "later not-loaded", "gone missing"]);
    world.write("NOTES.md", "second\n");
    const files = await filesOf(runId);
    expect(statesOf(files)).toEqual(["rules fresh", "notes changed", "later not-loaded", "gone missing"]);
    expect(files.artifacts?.map(({ loadedAt }) => loadedAt !== null)).toEqual([true, true, false, false]);
  });

  test("are not compared with anything once the run has ended", async () => {
    const { runId } = await world.agent("s1").ok("start", { workflow: "reading" });
    await world.person().ok("abort", { run: runId, yes: true });
    expect((await filesOf(runId)).artifacts).toBeNull();
  });

  test("have the todo list, and tell when somebody has changed it", async () => {
    const agent = world.agent("s1");
    const { runId } = await agent.ok("start", { workflow: "reading" });
    expect((await filesOf(runId)).todo).toBeNull();
    await agent.ok("todo", { content: "- [x] look\n- [-] do\n- [ ] tell\n" });
    const { todo } = await filesOf(runId);
    expect(todo).toMatchObject({ file: "TODO.md", isEdited: false, problem: null });
    expect(todo?.items.map(({ status, text }) => `${text}: ${status}`)).toEqual([
      "look: done",
      "do: in_progress",
      "tell: pending",
    ]);
    world.write("TODO.md", `${world.read("TODO.md")}- [ ] rest\n`);
    expect((await filesOf(runId)).todo).toMatchObject({ isEdited: true });
  });
});
