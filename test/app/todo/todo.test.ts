import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createHosts } from "../continuity/hook-ports.ts";
import { makeWorld, type World } from "../world.ts";

const steps = `
steps:
  - { id: plan, type: action, instructions: Plan it, context: clear }
  - { id: build, type: action, instructions: Build it }
`;
const list = "- [x] read the code\n- [-] write the test\n- [ ] make it pass";

async function begin(world: World = makeWorld()) {
  world.workflow("own", steps);
  const agent = world.agent("s1");
  const started = await agent.ok("start", { workflow: "own" });
  return { world, agent, runId: started.runId };
}

describe("the todo list", () => {
  it("is written whole into TODO.md, with a line that says whose it is, and the reply gives it back", async () => {
    const { world, agent, runId } = await begin();
    expect(await agent.ok("todo", { content: `\n${list}\n\n` })).toEqual({
      runId,
      file: "TODO.md",
      items: 3,
      done: 1,
      current: "write the test",
      edited: false,
      list,
    });
    expect(world.read("TODO.md")).toBe(
      `<!-- holdfast: the todo list of run ${runId}; update_todo_list replaces it whole -->\n\n${list}\n`,
    );
    expect(readdirSync(world.project).filter((name) => name.startsWith(".draft"))).toEqual([]);
    expect(world.git("status", "--porcelain", "TODO.md")).toBe("?? TODO.md\n");
    expect((await agent.events()).at(-1)).toMatchObject({ type: "todo-updated", file: "TODO.md", items: 3, done: 1 });
  });

  it("is replaced by what is sent, also when that is the whole file with its first line", async () => {
    const { world, agent, runId } = await begin();
    await agent.ok("todo", { content: list });
    expect(await agent.ok("todo", { content: world.read("TODO.md").replace("[-]", "[x]") })).toMatchObject({ done: 2 });
    expect(world.read("TODO.md").match(/holdfast: the todo list/g)).toHaveLength(1);
    expect(await world.agent("s2").ok("todo", { run: runId })).toMatchObject({ done: 2, current: "make it pass" });
  });

  it.each(["", "words", "- [ ] a\0"])("is not %j, and nothing is written", async (content) => {
    const { world, agent } = await begin();
    expect(await agent.no("todo", { content })).toMatchObject({ code: "todo-invalid" });
    expect(readdirSync(world.project)).not.toContain("TODO.md");
  });

  it.each([
    ["someone's own", "# My list\n- [ ] buy milk\n"],
    ["another run's", "<!-- holdfast: the todo list of run other-20260101_000000-aaaa; x -->\n\n- [ ] a\n"],
  ])("leaves %s TODO.md alone, and says where it is instead", async (_name, text) => {
    const world = makeWorld();
    world.write("TODO.md", text);
    const { agent, runId } = await begin(world);
    const reply = await agent.ok("todo", { content: list });
    expect(reply).toMatchObject({
      file: `TODO.${runId}.md`,
      note: `TODO.md is not this run's, so the list is in TODO.${runId}.md`,
    });
    expect(world.read("TODO.md")).toBe(text);
    expect(world.read(`TODO.${runId}.md`)).toContain(list);
  });

  it("stays in the file of its own, also when TODO.md has become free", async () => {
    const world = makeWorld();
    world.write("TODO.md", "# My list\n- [ ] buy milk\n");
    const { agent, runId } = await begin(world);
    await agent.ok("todo", { content: list });
    rmSync(world.path("TODO.md"));
    expect(await agent.ok("todo", { content: "- [ ] next" })).toMatchObject({
      file: `TODO.${runId}.md`,
      note: `the list is in TODO.${runId}.md, as before`,
    });
    expect(readdirSync(world.project)).not.toContain("TODO.md");
    expect(world.read(`TODO.${runId}.md`)).toContain("- [ ] next");
  });

  it("keeps to itself what only its owner may read", async () => {
    const { world, agent } = await begin();
    await agent.ok("todo", { content: list });
    chmodSync(world.path("TODO.md"), 0o600);
    await agent.ok("todo", { content: "- [ ] next" });
    expect(statSync(world.path("TODO.md")).mode & 0o777).toBe(0o600);
    chmodSync(world.path("TODO.md"), 0o664);
    await agent.ok("todo", { content: list });
    expect(statSync(world.path("TODO.md")).mode & 0o777).toBe(0o664);
  });

  it("leaves a folder called TODO.md alone too", async () => {
    const world = makeWorld();
    mkdirSync(world.path("TODO.md"));
    const { agent, runId } = await begin(world);
    expect(await agent.ok("todo", { content: list })).toMatchObject({ file: `TODO.${runId}.md` });
  });

  it("never follows a link, not even one that leads nowhere", async () => {
    const world = makeWorld();
    symlinkSync(world.path("elsewhere.md"), world.path("TODO.md"));
    const { agent } = await begin(world);
    expect(await agent.no("todo", { content: list })).toEqual({
      code: "todo-blocked",
      file: "TODO.md",
      problem: "it is a symbolic link",
    });
    expect(readdirSync(world.project)).not.toContain("elsewhere.md");
  });

  it("is not kept for a run that has ended", async () => {
    const { world, agent, runId } = await begin();
    await world.person().ok("abort");
    expect(await agent.no("todo", { run: runId, content: list })).toMatchObject({ code: "run-ended" });
    expect(readdirSync(world.project)).not.toContain("TODO.md");
  });

  it("is in the run's own worktree", async () => {
    const world = makeWorld();
    world.workflow("own", steps);
    world.commit();
    const side = world.worktree("side");
    const { runId } = await world.agent("s1", side).ok("start", { workflow: "own" });
    await world.agent("s2").ok("todo", { run: runId, content: list });
    expect(readdirSync(side)).toContain("TODO.md");
    expect(readdirSync(world.project)).not.toContain("TODO.md");
  });
});

describe("a person's edit of the list", () => {
  it("is seen by the next status, and by the handoff", async () => {
    const { world, agent, runId } = await begin();
    await agent.ok("todo", { content: list });
    expect(await agent.ok("next")).not.toHaveProperty("todo");
    world.write("TODO.md", world.read("TODO.md").replace("- [ ] make it pass", "- [ ] make it pass\n- [ ] tell Bo"));
    expect(await agent.ok("next")).toMatchObject({
      todo: "TODO.md was edited since you wrote it; read it before you replace it",
    });
    expect((await world.person().ok("handoff", { run: runId })).text).toContain(
      'TODO   1 of 4 done; now: "write the test" (TODO.md, edited by hand since)',
    );
  });

  it("is given back by the update that replaces it", async () => {
    const { world, agent } = await begin();
    await agent.ok("todo", { content: list });
    world.write("TODO.md", world.read("TODO.md").replace("- [ ] make it pass", "- [ ] tell Bo"));
    expect(await agent.ok("todo", { content: "- [ ] mine" })).toMatchObject({
      note: "someone changed the list after you wrote it: merge their changes from previous and send it again",
      previous: "- [x] read the code\n- [-] write the test\n- [ ] tell Bo",
      list: "- [ ] mine",
    });
    expect(await agent.ok("todo", { content: "- [ ] mine\n- [ ] tell Bo" })).not.toHaveProperty("note");
  });

  it("that removes the list is told, and the list is written anew", async () => {
    const { world, agent } = await begin();
    await agent.ok("todo", { content: list });
    rmSync(world.path("TODO.md"));
    expect(await agent.ok("next")).toMatchObject({ todo: "TODO.md is gone or belongs to another run" });
    expect(await agent.ok("todo", { content: list })).toMatchObject({
      file: "TODO.md",
      note: "the list you wrote last was moved or removed",
    });
  });
});

it("the list outlives a compaction, a clear and a restart, as one line of the handoff", async () => {
  const { world, agent } = await begin();
  await agent.ok("todo", { content: list });
  const host = createHosts(world)();
  for (const source of ["compact", "resume"]) {
    const { context = "" } = await host.start("s1", source);
    expect(context.match(/^TODO .*$/gm)).toEqual(['TODO   1 of 3 done; now: "write the test" (TODO.md)']);
    expect(context).not.toContain("make it pass");
  }
  await host.tell("s1", "SessionEnd", { reason: "clear" });
  expect((await host.start("s2", "clear")).context).toContain("TODO   1 of 3 done");
});
