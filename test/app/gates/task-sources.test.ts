import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { type Face, makeWorld, type World } from "../world.ts";

const flow = (source: string, rest = "") => `loops:
  build: [{ id: code, instructions: "Do {task.title}" }]
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: build, type: loop, tasks: ${source}${rest} }
  - { id: end, type: action, instructions: End }`;

/** A run that stands at its plan. */
async function begin(source: string, rest = "", prepare = (_: World) => {}): Promise<{ world: World; agent: Face }> {
  const world = makeWorld({ git: false });
  world.workflow("flow", flow(source, rest));
  prepare(world);
  const agent = world.agent("s1");
  if (source.includes("run:")) await world.person().ok("trust", { workflow: "flow" });
  await agent.ok("start", { workflow: "flow" });
  return { world, agent };
}

const fileOf = (text: string | Uint8Array) => (world: World) => writeFileSync(world.path("docs/tasks.md"), text);
const fromFile = (text: string | Uint8Array) => begin("{ file: docs/tasks.md }", "", fileOf(text));
const typesOf = async (agent: Face) => (await agent.events()).map(({ type }) => type);

/** Why the run waits, after the plan is made. */
async function reasonOf(agent: Face): Promise<string> {
  const reply = await agent.ok("advance", { output: "planned" });
  return "decision" in reply ? (reply.decision?.reason ?? "") : "";
}

it("takes the open boxes of a file when the run reaches the loop, within that call", async () => {
  const { world, agent } = await fromFile("# Tasks\r\n\r\n- [x] Old\r\n- [ ] New\r\n  in detail\r\n");
  world.write("docs/tasks.md", "- [x] Old\n- [ ] Newer\n");
  const reply = await agent.ok("advance", { output: "planned" });
  expect(reply).toMatchObject({ step: "build", task: { id: "t2", title: "Newer", total: 1 } });
  expect((await agent.events()).find(({ type }) => type === "command-ended")).toMatchObject({
    evidence: { held: true, what: "tasks from docs/tasks.md", tail: "[1 to do, 1 done]" },
  });
  expect(await agent.ok("advance", { output: "done" })).toMatchObject({ step: "end" });
});

it("needs no trust for a file, and reads it in the run's own worktree", async () => {
  const world = makeWorld();
  world.workflow("flow", flow("{ file: tasks.md }"));
  world.write("tasks.md", "- [ ] Of the project\n");
  world.commit();
  const top = world.worktree("side");
  writeFileSync(join(top, "tasks.md"), "- [ ] Of the worktree\n");
  const agent = world.agent("s1", top);
  await agent.ok("start", { workflow: "flow" });
  expect(await agent.ok("advance", { output: "planned" })).toMatchObject({ task: { title: "Of the worktree" } });
});

it("takes the tasks from the output of an earlier step, as JSON or as a list", async () => {
  const { agent } = await begin("{ output: plan }");
  const output = 'The parts:\n\n```json\n[{"id": "api", "title": "The API"}, "The page"]\n```\n';
  expect(await agent.ok("advance", { output })).toMatchObject({ task: { id: "api", total: 2 } });
});

it("takes what a command prints to standard output, however long, and keeps the end as evidence", async () => {
  const { agent } = await begin("{ run: 'cat list.json; echo noise >&2' }", "", (world) =>
    world.write("list.json", JSON.stringify(Array.from({ length: 2_000 }, (_, n) => `Task ${n}`))),
  );
  expect(await agent.ok("advance", { output: "planned" })).toMatchObject({ task: { title: "Task 0", total: 2_000 } });
  const ended = (await agent.events()).find(({ type }) => type === "command-ended");
  expect(ended).toMatchObject({
    evidence: { exitCode: 0, tail: expect.stringMatching(/noise\n\[2000 to do, 0 done\]$/) },
  });
});

it("executes the command in a variable, with the run's variables in its environment", async () => {
  const world = makeWorld({ git: false });
  const variables = "variables: { list: { type: command, required: true }, part: api }\n";
  world.workflow("flow", variables + flow("{ run: { command: list } }"));
  const command = { list: `printf '["%s"]' "$HOLDFAST_VAR_PART"` };
  await world.person().ok("start", { workflow: "flow", variables: command });
  const agent = world.agent("s1");
  await agent.ok("next");
  expect(await agent.ok("advance", { output: "planned" })).toMatchObject({ task: { title: "api" } });
});

it("runs no command of a workflow that nobody has trusted", async () => {
  const world = makeWorld({ git: false });
  world.workflow("flow", flow("{ run: touch ran }"));
  expect(await world.agent("s1").no("start", { workflow: "flow" })).toMatchObject({
    code: "template-untrusted",
    covers: ["tasks of build, at most 10m: touch ran"],
  });
});

it("skips the loop when all boxes are checked, and says why", async () => {
  const { agent } = await fromFile("- [x] One\n- [x] Two\n");
  expect(await agent.ok("advance", { output: "planned" })).toMatchObject({ step: "end" });
  expect(await agent.events()).toContainEqual(
    expect.objectContaining({ type: "step-ended", step: "build", status: "skipped" }),
  );
  expect((await agent.events()).find(({ type }) => type === "command-ended")).toMatchObject({
    evidence: { tail: "[no open task, 2 done]" },
  });
});

describe("a source that cannot be used makes the run wait for a person, with the reason", () => {
  test.each([
    ["- One\n- Two\n", "it has no task; write a JSON list"],
    ["", "it is empty; if there is no task, it must be []"],
    ['["A", {"id": "t1", "title": "B"}]', 'task 2: the id "t1" occurs twice'],
    [Buffer.from([0x2d, 0x20, 0x5b, 0x20, 0x5d, 0x20, 0xff]), "it is not UTF-8 text"],
    ["- [ ] a\0b\n", "it is not UTF-8 text"],
    ["- [ ] \u001b]0;owned\u0007\n", "line 1: the title must be text on one line"],
    [`["${"x".repeat(1_000_000)}"]`, "it is too large"],
  ])("a file (%#)", async (text, why) => {
    const { agent } = await fromFile(text);
    const reason = await reasonOf(agent);
    expect(reason).toContain("tasks from docs/tasks.md");
    expect(reason).toContain(why);
  });

  test.each([
    [
      "a pipe",
      (world: World) => execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', world.path("docs/tasks.md")]),
      "it is a pipe or a device",
    ],
    ["a folder", (world: World) => mkdirSync(world.path("docs/tasks.md")), "it is a folder"],
    ["nothing", () => {}, "there is no such file"],
    [
      "a device",
      (world: World) => symlinkSync("/dev/zero", world.path("docs/tasks.md")),
      "it leads out of the project",
    ],
    [
      "a link to elsewhere",
      (world: World) => symlinkSync(join(world.home, "secret"), world.path("docs/tasks.md")),
      "there is no such file",
    ],
    [
      "a link out of the project",
      (world: World) => {
        writeFileSync(join(world.home, "secret"), "- [ ] Send it to me\n");
        symlinkSync(join(world.home, "secret"), world.path("docs/tasks.md"));
      },
      "it leads out of the project",
    ],
  ])("%s in the place of the file", async (_name, prepare, why) => {
    const { agent } = await begin("{ file: docs/tasks.md }", "", prepare);
    expect(await reasonOf(agent)).toContain(why);
  });

  test.each([
    ["exit 3", "exit 3 (exit 3)"],
    ["exit 0", "it is empty; if there is no task, it must be []"],
    ["echo '[]' >&2; exit 1", "(exit 1)\n[]"],
    ["head -c 1100000 /dev/zero", "it printed more than 1 MB"],
    ["printf '\\\\377'", "it is not UTF-8 text"],
    ["sleep 60", "(timed out)"],
  ])("a command: %s", async (run, why) => {
    const { agent } = await begin(
      `{ run: ${JSON.stringify(run.replaceAll("\\\\", "\\"))}, timeout: ${run.startsWith("sleep") ? "200ms" : "1m"} }`,
    );
    expect(await reasonOf(agent)).toContain(why);
  });

  test("a step that has no output", async () => {
    const world = makeWorld({ git: false });
    world.workflow(
      "flow",
      `${flow("{ output: plan }").replace("instructions: Plan", "instructions: Plan, when: run.summary != null")}`,
    );
    const reply = await world.agent("s1").ok("start", { workflow: "flow" });
    expect(reply).toMatchObject({
      status: "waiting",
      decision: { reason: expect.stringContaining("the step has no output yet") },
    });
  });
});

describe("after a failure", () => {
  const failing = async () => {
    const begun = await begin("{ file: docs/tasks.md }");
    await begun.agent.ok("advance", { output: "planned" });
    return begun;
  };

  it("an agent cannot set the tasks in a person's place", async () => {
    const { agent } = await failing();
    const tasks = [{ id: "t1", title: "Mine" }];
    expect(await agent.no("tasks", { loop: "build", tasks })).toMatchObject({ code: "decision-needed" });
  });

  it("a person sets the tasks by hand, and the agent is given the first one", async () => {
    const { world, agent } = await failing();
    const tasks = [{ id: "t1", title: "By hand" }];
    expect(await world.person().ok("tasks", { loop: "build", tasks })).toMatchObject({ status: "running" });
    expect(await agent.ok("next")).toMatchObject({ task: { title: "By hand" } });
    expect(await agent.events()).toContainEqual(expect.objectContaining({ type: "failure-decided", by: "ada" }));
  });

  it("a retry asks the source again with the agent's next call, not with the decision", async () => {
    const { world, agent } = await failing();
    world.write("docs/tasks.md", "- [ ] Now\n");
    await world.person().ok("decide", { verdict: "retry" });
    expect(await typesOf(agent)).not.toContain("tasks-set");
    expect(await agent.ok("next")).toMatchObject({ task: { title: "Now" } });
  });
});

it("nothing that only looks and no move of a person takes tasks", async () => {
  const { world, agent } = await fromFile("- [ ] One\n");
  await world.person().ok("goto", { step: "build", reason: "go" });
  for (const name of ["status", "log", "context"] as const) await world.person().ok(name, {});
  expect(await typesOf(agent)).not.toContain("tasks-set");
  expect(await agent.ok("next")).toMatchObject({ task: { title: "One" } });
});

it("secrets and paths of the machine do not get into the journal", async () => {
  const { world, agent } = await begin('{ run: \'echo "[\\"Read $PWD/a.md\\"]"\' }');
  const reply = await agent.ok("advance", { output: "planned" });
  expect("instructions" in reply && reply.instructions).toContain(`Do Read ${world.project}/a.md`);
  expect(world.journal((await agent.ok("runs")).runs[0]?.runId ?? "")).not.toContain(world.project);
});
