import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { addWorkflow, type Json, type Server, serve } from "./serve.ts";

const workflow = `
critical_artifacts:
  always_load: [{ id: plan, type: markdown, path: plan.md }]
steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: build, type: loop }
  - { id: ship, type: action, instructions: Ship it, context: compact }
loops:
  build: [{ id: make, instructions: "Make {task.title}" }]
`;

const session = "agent-1";
const tasks = [{ id: "t1", title: "One" }];

/** Each tool as the first call of a server: what brings the run there, the call, and what it answers. */
const firstCalls: readonly {
  readonly tool: string;
  readonly input?: Json;
  readonly before: readonly (readonly string[])[];
  readonly answer: Json;
}[] = [
  { tool: "workflow_list", before: [], answer: { runs: [{ workflow: "work", status: "running", step: "plan" }] } },
  { tool: "workflow_start", input: { workflow: "work" }, before: [], answer: { token: "plan#1" } },
  { tool: "workflow_status", before: [], answer: { token: "plan#1", status: "running" } },
  { tool: "workflow_advance", input: { output: "x" }, before: [], answer: { token: "build#1" } },
  { tool: "workflow_advance", input: { output: "x", token: "plan#1" }, before: [], answer: { token: "build#1" } },
  {
    tool: "workflow_set_tasks",
    input: { loop_id: "build", tasks },
    before: [["advance", "--output", "the plan"]],
    answer: { token: "build/t1/make#1", task: { title: "One" } },
  },
  {
    tool: "workflow_context",
    before: [["advance", "--output", "the plan"]],
    answer: { outputs: { plan: "the plan" }, decisions: [], shortened: [] },
  },
  {
    tool: "register_artefacts",
    input: { paths: ["plan.md"] },
    before: [],
    answer: { registered: ["plan.md"], duplicates: [], invalid: [] },
  },
  {
    tool: "workflow_advance",
    input: { output: "the plan", token: "plan#1" },
    before: [["advance", "--output", "the plan", "--token", "plan#1"]],
    answer: { token: "build#1", replayed: true },
  },
  { tool: "prime_context", before: [], answer: { artifacts: [{ id: "plan", status: "loaded" }] } },
  {
    tool: "update_todo_list",
    input: { content: "- [ ] one" },
    before: [["todo", "-"]],
    answer: { file: "TODO.md", items: 1, current: "one" },
  },
  {
    tool: "ask_question",
    input: { question: "Which one?" },
    before: [],
    answer: { status: "waiting", question: { text: "Which one?" } },
  },
  {
    tool: "answer_question",
    input: { answer: "the first" },
    before: [["ask", "Which one?"]],
    answer: { status: "running", token: "plan#1" },
  },
];

function prepare(): Project {
  const project = createProject();
  addWorkflow(project, "work", workflow);
  project.write("plan.md", "a plan\n");
  return project;
}

async function cli(project: Project, words: readonly string[], input = ""): Promise<Json> {
  const { code, value } = await project.json([...words, "--session", session], { input });
  if (code !== 0) throw new Error(JSON.stringify(value));
  return value;
}

test.each(firstCalls)(
  "$tool answers as the first call of a fresh server ($answer)",
  async ({ tool, input, before, answer }) => {
    const project = prepare();
    await cli(project, ["start", "work"]);
    for (const words of before) await cli(project, words, "- [ ] older\n");
    const server = await serve(project);
    expect(await server.ok(tool, input)).toMatchObject(answer);
  },
);

test("a run is walked with a fresh server for every single call", async () => {
  const project = prepare();
  const once = async (tool: string, input?: Json): Promise<Json> => {
    const server = await serve(project);
    const value = await server.ok(tool, input);
    expect((await server.close()).code).toBe(0);
    return value;
  };
  expect(await once("workflow_start", { workflow: "work" })).toMatchObject({ token: "plan#1" });
  expect(await once("workflow_set_tasks", { loop_id: "build", tasks })).toMatchObject({ token: "plan#1" });
  expect(await once("workflow_advance", { output: "planned" })).toMatchObject({ token: "build/t1/make#1" });
  expect(await once("workflow_advance", { output: "made" })).toMatchObject({ contextAction: "/compact" });
  expect(await once("workflow_status")).toMatchObject({ token: "ship#1" });
  expect(await once("workflow_advance", { output: "shipped" })).toMatchObject({ status: "complete" });
});

test("a server that is left right after its answer leaves a snapshot that is up to date", async () => {
  const project = prepare();
  const server = await serve(project);
  const { runId } = await server.ok("workflow_start", { workflow: "work" });
  await server.ok("workflow_set_tasks", { loop_id: "build", tasks });
  await server.ok("workflow_advance", { output: "planned" });
  await server.close();
  const file = (name: string) => readFileSync(join(project.root, ".holdfast/runs", runId, name), "utf8");
  const commits = file("journal.jsonl").trimEnd().split("\n").length;
  expect(JSON.parse(file("snapshot.json")).version).toBe(commits);
});

test("a hook answers as the first call of a fresh server, with where the run stands", async () => {
  const project = prepare();
  await cli(project, ["start", "work"]);
  const server = await serve(project);
  const input = { event: "SessionStart", source: "resume", session_id: session, host: "claude" };
  const { result } = await server.request("tools/call", { name: "hook", arguments: input });
  expect(result.content[0].text).toContain("Plan it");
});

test("questions, the todo list and artifacts are seen as another process has left them", async () => {
  const project = prepare();
  const server = await serve(project, { env: { HOLDFAST_SESSION: session } });
  await server.ok("workflow_start", { workflow: "work" });
  await cli(project, ["ask", "Which one?"]);
  expect(await server.no("workflow_advance", { output: "x" })).toMatchObject({ code: "answer-needed" });
  expect(await server.ok("answer_question", { answer: "the first" })).toMatchObject({ status: "running" });
  await server.ok("ask_question", { question: "And then?" });
  await cli(project, ["answer", "nothing"]);
  expect(await server.no("answer_question", { answer: "something" })).toMatchObject({ code: "question-not-open" });

  await cli(project, ["todo", "-"], "- [x] by another\n");
  project.write("TODO.md", project.read("TODO.md").replace("by another", "by a person"));
  expect(await server.ok("update_todo_list", { content: "- [ ] mine" })).toMatchObject({
    previous: expect.stringContaining("by a person"),
  });

  expect((await server.ok("prime_context", { force: true })).text).toContain("a plan");
  project.write("plan.md", "a better plan\n");
  expect((await server.ok("prime_context")).text).toContain("a better plan");
});

/** What the command line does behind the server's back, and how every tool sees it at once. */
test("a server sees what another process has done between two of its calls, in every tool", async () => {
  const project = prepare();
  const server: Server = await serve(project, { env: { HOLDFAST_SESSION: session } });
  const { runId } = await server.ok("workflow_start", { workflow: "work" });
  await cli(project, ["advance", "--output", "by another"]);
  expect(await server.ok("workflow_status")).toMatchObject({ token: "build#1" });
  expect(await server.ok("workflow_context")).toMatchObject({ outputs: { plan: "by another" } });

  await cli(project, ["tasks", "build"], JSON.stringify(tasks));
  expect(await server.ok("workflow_list")).toMatchObject({ runs: [{ step: "build" }] });
  expect(await server.no("workflow_advance", { output: "x", token: "plan#1" })).toEqual({
    code: "step-stale",
    message: "the visit plan#1 has already ended with a different result",
    next: "call workflow_status, then advance with the current token, build/t1/make#1",
  });
  expect(await server.ok("workflow_set_tasks", { loop_id: "build", tasks })).toMatchObject({
    token: "build/t1/make#1",
  });

  const other = await serve(project);
  await other.ok("register_artefacts", { paths: ["plan.md"] });
  expect(await server.ok("register_artefacts", { paths: ["plan.md"] })).toMatchObject({ duplicates: ["plan.md"] });

  await cli(project, ["advance", "--output", "made"]);
  expect(await server.no("workflow_set_tasks", { loop_id: "build", tasks: [] })).toMatchObject({
    code: "loop-finished",
  });
  await cli(project, ["next"]);
  expect(await server.ok("workflow_start", { workflow: "work" })).toMatchObject({ token: "ship#1", runId });

  await cli(project, ["advance", "--output", "shipped"]);
  expect(await server.ok("workflow_status")).toMatchObject({ runId, status: "complete" });
  expect(await server.ok("workflow_status", { run_id: runId })).toMatchObject({ status: "complete" });
  expect(await server.no("register_artefacts", { paths: ["plan.md"], run_id: runId })).toMatchObject({
    code: "run-ended",
  });
});
