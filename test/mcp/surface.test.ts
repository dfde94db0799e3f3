import { readFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { createProject } from "../cli/program.ts";
import { packageVersion } from "../package-version.ts";
import { addWorkflow, type Json, type Server, serve, serveHere } from "./serve.ts";

const compacting = `
steps:
  - { id: plan, type: action, instructions: Plan it, context: compact }
  - { id: ship, type: action, instructions: Ship it }
`;

async function begin(): Promise<{ project: ReturnType<typeof createProject>; server: Server }> {
  const project = createProject();
  addWorkflow(project, "work", compacting);
  return { project, server: await serveHere(project) };
}

test("the tools have these names in this order, these arguments, and short descriptions", async () => {
  const { server } = await begin();
  const { tools } = (await server.request("tools/list")).result;
  expect(
    tools.map(({ name, inputSchema }: Json) => [name, Object.keys(inputSchema.properties), inputSchema.required ?? []]),
  ).toEqual([
    ["workflow_list", [], []],
    ["workflow_start", ["workflow", "request", "summary", "variables", "new"], ["workflow"]],
    ["workflow_status", ["run_id", "task"], []],
    ["workflow_set_tasks", ["loop_id", "tasks", "run_id"], ["loop_id", "tasks"]],
    ["workflow_advance", ["output", "outcome", "failed", "token", "variables", "artifacts", "run_id"], []],
    ["workflow_context", ["step", "run_id"], []],
    ["register_artefacts", ["paths", "run_id"], ["paths"]],
    ["prime_context", ["artifacts", "force", "run_id"], []],
    ["update_todo_list", ["content", "run_id"], ["content"]],
    ["ask_question", ["question", "run_id"], ["question"]],
    ["answer_question", ["answer", "question_id", "run_id"], ["answer"]],
    ["hook", ["event"], ["event"]],
  ]);
  // The host reads what a hook says as it is, so that one has no shape to promise.
  for (const { name, description, inputSchema, outputSchema } of tools.slice(0, -1)) {
    expect(description.length, name).toBeGreaterThan(20);
    expect(description.length, name).toBeLessThan(300);
    expect([inputSchema.type, inputSchema.additionalProperties, outputSchema.type], name).toEqual([
      "object",
      false,
      "object",
    ]);
  }
  expect(tools.filter(({ annotations }: Json) => annotations.readOnlyHint).map(({ name }: Json) => name)).toEqual([
    "workflow_list",
    "workflow_context",
  ]);
});

test("the plugin's command to prime the context knows every argument of the tool, by the names of the command line", async () => {
  const { server } = await begin();
  const { tools } = (await server.request("tools/list")).result;
  const { inputSchema } = tools.find(({ name }: Json) => name === "prime_context");
  const text = readFileSync("plugin/commands/prime-context.md", "utf8");
  expect(text).toContain('argument-hint: "[--run-id <id>] [--artifacts <id>,<id>] [--force]"\n');
  expect(text).toContain("$ARGUMENTS");
  for (const name of Object.keys(inputSchema.properties)) {
    expect(text, name).toMatch(new RegExp(`\`--${name.replace("_", "-")}.*\` is \`${name}`));
  }
});

test("the whole list of tools leaves a session its context", async () => {
  const { server } = await begin();
  const { tools } = (await server.request("tools/list")).result;
  const asked = tools.map(({ name, description, inputSchema }: Json) => ({ name, description, inputSchema }));
  expect(countTokens(JSON.stringify(asked))).toBeLessThanOrEqual(1_500);
  expect(countTokens(JSON.stringify(tools))).toBeLessThanOrEqual(3_000);
});

test("the server says who it is and how to follow a workflow", async () => {
  const { server } = await begin();
  const { result } = await server.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "again", version: "1" },
  });
  expect(result.serverInfo).toEqual({ name: "holdfast", version: packageVersion });
  expect(Object.keys(result.capabilities).sort()).toEqual(["prompts", "resources", "tools"]);
  expect(result.instructions.split("\n")).toHaveLength(5);
});

test("runs and workflows can be read as resources, and reading hands nothing out", async () => {
  const { project, server } = await begin();
  expect((await project.json(["start", "work", "--session", "other"])).value).toMatchObject({
    contextAction: "/compact",
  });
  await project.json(["next", "--session", "other"]);
  await project.json(["advance", "--output", "x", "--session", "other"]);
  const runId = (await project.json(["runs"])).value.runs[0].runId;
  const before = project.journal();
  const read = async (uri: string) => (await server.request("resources/read", { uri })).result.contents;

  const [status] = await read(`holdfast://runs/${runId}`);
  expect(status).toMatchObject({ uri: `holdfast://runs/${runId}`, mimeType: "application/json" });
  const { instructions, ...facts } = JSON.parse(status.text);
  expect((await project.json(["status"])).value).toMatchObject(facts);
  expect(instructions).toContain("call workflow_advance");
  const [journal] = await read(`holdfast://runs/${runId}/journal`);
  expect(journal.mimeType).toBe("application/jsonl");
  const events = journal.text
    .trimEnd()
    .split("\n")
    .map((line: string) => JSON.parse(line));
  expect(events).toEqual((await project.json(["log"])).value.events);
  const [workflow] = await read("holdfast://workflows/work");
  expect(JSON.parse(workflow.text)).toEqual((await project.json(["graph", "work"])).value);
  const [builtIn] = await read("holdfast://workflows/feature");
  expect(JSON.parse(builtIn.text).name).toBe("feature");

  const listed = (await server.request("resources/list")).result.resources.map(({ uri }: Json) => uri);
  expect(listed).toContain(`holdfast://runs/${runId}`);
  expect(listed).toContain("holdfast://workflows/work");
  const templates = (await server.request("resources/templates/list")).result.resourceTemplates;
  expect(templates.map(({ uriTemplate }: Json) => uriTemplate)).toEqual([
    "holdfast://runs/{id}",
    "holdfast://runs/{id}/journal",
    "holdfast://runs/{id}/handoff",
    "holdfast://workflows/{name}",
  ]);
  expect(project.journal()).toBe(before);
});

test("reading a run whose context action is due leaves it due", async () => {
  const project = createProject();
  addWorkflow(
    project,
    "late",
    "steps: [{ id: a, type: action, instructions: A }, { id: b, type: action, instructions: B, context: clear }]",
  );
  const server = await serveHere(project);
  const { runId } = await server.ok("workflow_start", { workflow: "late" });
  const person = [
    "--as",
    "ada",
    "--secret-file",
    project.write("../home/.config/holdfast/secret", `${"s".repeat(32)}\n`),
  ];
  expect((await project.json(["goto", "b", "--reason", "on", ...person])).code).toBe(0);
  const before = project.journal();
  for (const uri of [`holdfast://runs/${runId}`, `holdfast://runs/${runId}/journal`, "holdfast://workflows/late"]) {
    await server.request("resources/read", { uri });
  }
  await server.ok("workflow_list");
  await server.ok("workflow_context");
  expect(project.journal()).toBe(before);
  expect(await server.ok("workflow_status")).toMatchObject({ contextAction: "/clear" });
});

test("a resource that is not there is refused with what to do", async () => {
  const { server } = await begin();
  const read = async (uri: string) => (await server.request("resources/read", { uri })).error.message;
  expect(await read("holdfast://runs/nope")).toBe("there is no run nope here; list the live runs with workflow_list");
  expect(await read("holdfast://workflows/nope")).toMatch(/^there is no workflow "nope"; use one of bugfix, /);
  expect(await read("holdfast://workflows/..%2F..%2Fetc%2Fpasswd")).toMatch(/^there is no workflow /);
});

test("three prompts: start with a workflow, prime the context, and resume", async () => {
  const { server } = await begin();
  const { prompts } = (await server.request("prompts/list")).result;
  expect(
    prompts.map(({ name, arguments: words }: Json) => [name, (words ?? []).map((each: Json) => each.name)]),
  ).toEqual([
    ["start", ["workflow", "request"]],
    ["prime-context", []],
    ["resume", []],
  ]);
  const say = async (name: string, words: Json) =>
    (await server.request("prompts/get", { name, arguments: words })).result.messages[0].content.text;
  expect(await say("start", { workflow: "work", request: "a toggle\nand a switch" })).toMatch(
    /^Start the workflow "work" with workflow_start, and send the request below word for word\. .*\n\nThe request:\na toggle\nand a switch$/,
  );
  expect(await say("resume", {})).toMatch(/^Call workflow_status and continue/);
});

test("--workflow-path names the workflow that is started when none is named, also outside the project", async () => {
  const project = createProject();
  const file = project.write("../elsewhere/review.yaml", `name: review\ndescription: Outside\n${compacting}`);
  const server = await serve(project, { words: ["--workflow-path", "../elsewhere/review.yaml"] });
  const { tools } = (await server.request("tools/list")).result;
  expect(tools[1].inputSchema.required ?? []).toEqual([]);
  expect(await server.ok("workflow_start")).toMatchObject({ contextAction: "/compact" });
  const status = await server.ok("workflow_status");
  expect(status).toMatchObject({ workflow: "review", step: "plan" });
  expect(status.driftedTemplate).toBeUndefined();
  expect(await server.ok("workflow_start")).toEqual({ ...status, note: "already live; nothing was started" });
  expect(await server.no("workflow_start", { workflow: "../elsewhere/other.yaml" })).toMatchObject({
    code: "workflow-unknown",
  });
  const plain = await serveHere(project);
  expect(await plain.no("workflow_start", { workflow: file })).toMatchObject({ code: "workflow-unknown" });
  expect(await plain.ok("workflow_status")).toMatchObject({ workflow: "review", token: "plan#1" });
});
