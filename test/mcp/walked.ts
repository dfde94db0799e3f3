import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, onTestFinished } from "vitest";
import { compactMessage, createProject, type Project, program } from "../cli/program.ts";
import { addWorkflow, type Era, giveSecret, type Json, serveHere, trustAll } from "./serve.ts";

const feature = `
variables: { version: 1 }
agents: { builder: { description: builds } }
steps:
  - { id: plan, type: action, phase: Design, instructions: "Plan {run.summary}", artefacts: true }
  - { id: review, type: action, phase: Design, instructions: "Review {outputs.plan}", outcomes: { approved: build, needs_changes: plan } }
  - { id: build, type: loop, instructions: Build it }
  - { id: polish, type: ralph, n: 2, instructions: Improve it, context: clear, gate: [{ run: "test -e polished" }] }
  - { id: ship, type: action, instructions: "Ship {vars.version}", gate: [{ approval: human }] }
loops:
  build:
    - { id: implement, agent: builder, instructions: "Implement {task.title}", context: compact }
    - { id: verify, instructions: "Verify {task.title}" }
`;

const session = "agent-1";

interface Talk {
  listTools(): Promise<Json[]>;
  callTool(name: string, input: Json): Promise<Json>;
}

function prepare(): Project {
  const project = createProject();
  trustAll(project);
  addWorkflow(project, "feature-walk", feature);
  project.write("docs/plan.md", "a plan\n");
  return project;
}

async function talkBySdk(project: Project, mode: "legacy" | "auto"): Promise<Talk> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const env = { ...project.env, HOLDFAST_SESSION: session };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp"],
    cwd: project.root,
    env,
  });
  onTestFinished(() => client.close());
  await client.connect(transport);
  expect(client.getInstructions()).toContain("call workflow_status first");
  return {
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, input) => client.callTool({ name, arguments: input }),
  };
}

async function talkByLines(project: Project, era: Era): Promise<Talk> {
  const server = await serveHere(project, { era, env: { HOLDFAST_SESSION: session } });
  return {
    listTools: async () => (await server.request("tools/list")).result.tools,
    callTool: async (name, input) => (await server.request("tools/call", { name, arguments: input })).result,
  };
}

export const ways = {
  legacy: ["the SDK's client in the way of 2025", (project: Project) => talkBySdk(project, "legacy")],
  auto: ["the SDK's client that probes for the newest revision", (project: Project) => talkBySdk(project, "auto")],
  lines: ["lines of revision 2025-11-25", (project: Project) => talkByLines(project, "2025-11-25")],
  newest: ["lines of revision 2026-07-28", (project: Project) => talkByLines(project, "2026-07-28")],
} as const satisfies Record<string, readonly [string, (project: Project) => Promise<Talk>]>;

/** Calls that are checked: the text is the value, the value fits what was advertised, the command line says the same. */
async function createCaller(project: Project, talk: Talk) {
  const ajv = new Ajv2020({ strict: false });
  const tools = await talk.listTools();
  const promised = tools.filter(({ name }) => name !== "hook");
  const shapes = new Map(promised.map((tool) => [tool.name, ajv.compile(tool.outputSchema)]));
  async function call(name: string, input: Json = {}): Promise<Json> {
    const { content, structuredContent, isError } = await talk.callTool(name, input);
    expect(content).toHaveLength(1);
    expect(content[0].type).toBe("text");
    expect(JSON.parse(content[0].text)).toEqual(structuredContent);
    const shape = shapes.get(name);
    expect(shape?.(structuredContent), ajv.errorsText(shape?.errors)).toBe(true);
    expect(isError === true).toBe(structuredContent.error !== undefined);
    return structuredContent;
  }
  return {
    call,
    /** The status, which is also what the command line says in the same breath, with commands in place of tools. */
    async status(): Promise<Json> {
      const status = await call("workflow_status");
      const { code, value } = await project.json(["next", "--session", session]);
      expect(code).toBe(0);
      expect({ ...value, instructions: "" }).toEqual({ ...status, instructions: "" });
      expect(value.instructions).not.toMatch(/workflow_|_question/);
      expect(status.instructions).not.toContain("`holdfast ");
      return status;
    },
  };
}

/** A workflow goes from its start to its end, over everything that an agent's calls can meet. */
export async function walk(open: (project: Project) => Promise<Talk>): Promise<void> {
  const project = prepare();
  const person = giveSecret(project);
  const { call, status } = await createCaller(project, await open(project));
  const runId = expect.stringMatching(/^feature-walk-\d{8}_\d{6}-[a-z0-9]{4}$/);

  const listed = await call("workflow_list");
  expect(listed.runs).toEqual([]);
  expect(listed.workflows).toContainEqual({
    name: "feature-walk",
    origin: "project",
    description: "A test",
    steps: 5,
    shadows: false,
    extends: [],
    valid: true,
  });
  expect((await project.json(["list"])).value).toEqual(listed);

  const started = await call("workflow_start", {
    workflow: "feature-walk",
    summary: " a toggle ",
    variables: { version: 2 },
  });
  expect(started).toEqual({
    runId,
    workflow: "feature-walk",
    status: "running",
    step: "plan",
    stepType: "action",
    phase: { current: 1, total: 4, name: "Design", status: "in_progress" },
    agent: null,
    delegate: false,
    instructions:
      "Plan a toggle\n\nWhen this is done, call workflow_advance with your output (what is asked for above, or a short summary).",
    progress: { currentStep: 1, totalSteps: 5 },
    summary: "a toggle",
    artefacts: [],
    token: "plan#1",
    rules: "Variables:\n  version: 2",
  });
  expect(await status()).toEqual(started);
  expect(await call("workflow_start", { workflow: "feature-walk", summary: "a toggle" })).toEqual({
    ...started,
    note: "already live; nothing was started",
  });

  expect(await call("register_artefacts", { paths: ["docs/plan.md", "docs/plan.md", "nope.md"] })).toEqual({
    registered: ["docs/plan.md"],
    duplicates: ["docs/plan.md"],
    invalid: ["nope.md"],
  });
  expect(await call("workflow_advance", { output: "the plan", token: "plan#1" })).toMatchObject({
    step: "review",
    outcomes: ["approved", "needs_changes"],
    artefacts: ["docs/plan.md"],
    token: "review#1",
    instructions: expect.stringMatching(/^Review the plan/),
  });
  expect(await call("workflow_advance", { output: "?" })).toEqual({
    error: {
      code: "outcome-needed",
      message: 'the step "review" needs an outcome: approved, needs_changes',
      next: "advance again with one of them",
    },
  });
  expect(await call("workflow_advance", { output: "thin", outcome: "needs_changes" })).toMatchObject({
    token: "plan#2",
  });
  expect(await call("workflow_advance", { output: "a better plan" })).toMatchObject({ token: "review#2" });
  const atLoop = await call("workflow_advance", {
    output: "good",
    outcome: "approved",
    artifacts: { plan: "docs/plan.md" },
  });
  expect(atLoop).toMatchObject({ step: "build", stepType: "loop", progress: { completedTasks: 0, totalTasks: 0 } });
  expect(await call("workflow_advance", { output: "x" })).toMatchObject({ error: { code: "tasks-missing" } });

  const tasks = [
    { id: "t1", title: "The switch", description: "in the bar" },
    { id: "t2", title: "The store" },
  ];
  expect(await call("workflow_set_tasks", { loop_id: "build", tasks })).toEqual({
    contextAction: "/compact",
    message: compactMessage,
    runId,
    token: "build/t1/implement#1",
  });
  const implementing = await status();
  expect(implementing).toMatchObject({
    agent: "builder",
    delegate: true,
    instructions: expect.stringMatching(/^SPAWN the agent "builder" .*\n\nImplement The switch/),
    progress: {
      currentStep: 3,
      totalSteps: 5,
      completedTasks: 0,
      totalTasks: 2,
      currentTaskProgress: "Task 1/2, Sub-step 1/2",
    },
    task: {
      id: "t1",
      title: "The switch",
      description: "in the bar",
      index: 0,
      total: 2,
      subStep: "implement",
      subStepIndex: 0,
      totalSubSteps: 2,
    },
  });
  expect(await call("workflow_advance", { output: "no", failed: true })).toMatchObject({
    token: "build/t1/implement#1~2",
    instructions: expect.stringContaining("The last attempt failed for this reason:\n> no"),
  });
  expect(await call("workflow_advance", { output: "done" })).toMatchObject({ token: "build/t1/verify#1" });
  expect(await call("workflow_advance", { output: "seen" })).toMatchObject({ contextAction: "/compact" });
  expect(await call("workflow_status")).toMatchObject({ token: "build/t2/implement#1", task: { id: "t2", index: 1 } });
  await call("workflow_advance", { output: "done" });

  expect(await call("workflow_advance", { output: "seen" })).toMatchObject({
    contextAction: "/clear",
    token: "polish/1#1",
  });
  expect(await call("workflow_status")).toMatchObject({ stepType: "ralph", ralphIteration: 1, ralphTotal: 2 });
  expect(await call("workflow_advance", { output: "better" })).toMatchObject({
    error: { code: "gate-failed", next: "fix the failure above, then advance again with the same token" },
  });
  expect((await status()).instructions).toContain("The gate failed when it was last checked:\n> test -e polished");
  project.write("polished", "");
  expect(await call("workflow_advance", { output: "better" })).toMatchObject({ contextAction: "/clear" });
  expect(await call("workflow_status")).toMatchObject({ ralphIteration: 2 });

  expect(await call("workflow_advance", { output: "best" })).toMatchObject({ step: "ship", token: "ship#1" });
  const asked = await call("workflow_advance", { output: "shipped", token: "ship#1" });
  expect(asked).toMatchObject({ error: { code: "approval-needed" } });
  const typed = await project.json(["advance", "--output", "shipped", "--session", session]);
  expect(typed).toMatchObject({ code: 1, value: { error: { code: "approval-needed", message: asked.error.message } } });
  expect(await status()).toMatchObject({ status: "waiting", phase: { status: "blocked" } });
  const refusedAgent = await project.json(["approve"], { env: { CLAUDECODE: "1" } });
  expect(refusedAgent).toMatchObject({ code: 1, value: { error: { code: "person-needed" } } });
  expect((await project.json(["approve", "--reason", "fine", ...person])).code).toBe(0);
  expect(await call("workflow_advance", { output: "shipped", token: "ship#1" })).toMatchObject({
    status: "complete",
    instructions: "Workflow complete.",
    token: null,
    phase: { current: 4, total: 4, status: "completed" },
  });
  expect(await call("workflow_advance", { output: "shipped", token: "ship#1" })).toMatchObject({
    status: "complete",
    replayed: true,
  });

  const { runId: ran } = started;
  expect(await call("workflow_status")).toMatchObject({ runId: ran, status: "complete" });
  expect(await call("workflow_advance", { output: "more", run_id: ran })).toMatchObject({
    error: { code: "run-ended" },
  });
  expect(await call("workflow_context", { run_id: ran })).toEqual({
    runId,
    status: "complete",
    summary: "a toggle",
    rules: { visit: [], requiredReading: [], keyReminders: [], variables: { version: 2 } },
    outputs: {
      plan: "a better plan",
      review: "good",
      "build.t1.implement": "done",
      "build.t1.verify": "seen",
      "build.t2.implement": "done",
      "build.t2.verify": "seen",
      "polish.1": "better",
      "polish.2": "best",
      ship: "shipped",
    },
    decisions: [
      { event: expect.any(Number), step: "review", what: "needs_changes", by: null, text: "thin" },
      { event: expect.any(Number), step: "review", what: "approved", by: null, text: "good" },
      { event: expect.any(Number), step: "ship", what: "approved", by: "ada", text: "fine" },
    ],
    shortened: [],
  });
}
