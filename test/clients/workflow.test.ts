import { expect, test } from "vitest";
import { createProject, type Project, program } from "../cli/program.ts";
import { runClaude } from "./claude.ts";
import { startClaudeModel } from "./claude-model.ts";
import { claudeToolNames, claudeToolResults } from "./claude-request.ts";
import { runCodex } from "./codex.ts";
import { startCodexModel } from "./codex-model.ts";
import { codexToolNames, codexToolResults } from "./codex-request.ts";
import type { Reply } from "./reply.ts";

const server = { command: process.execPath, args: [program, "mcp"] };
const tools = [
  "mcp__holdfast__answer_question",
  "mcp__holdfast__ask_question",
  "mcp__holdfast__hook",
  "mcp__holdfast__prime_context",
  "mcp__holdfast__register_artefacts",
  "mcp__holdfast__update_todo_list",
  "mcp__holdfast__workflow_advance",
  "mcp__holdfast__workflow_context",
  "mcp__holdfast__workflow_list",
  "mcp__holdfast__workflow_set_tasks",
  "mcp__holdfast__workflow_start",
  "mcp__holdfast__workflow_status",
];

const workflow = `
name: knot
description: Tie a knot
loops:
  tie:
    - { id: turn, instructions: "Turn {task.title}" }
steps:
  - { id: measure, type: action, instructions: Measure the rope }
  - { id: tie, type: loop }
  - { id: check, type: action, instructions: Look at it, gate: [{ exists: rope.txt }], outcomes: { tight: next, loose: tie } }
`;

function prepare(): Project {
  const project = createProject();
  project.write(".holdfast/workflows/knot.yaml", workflow);
  project.write("rope.txt", "a rope\n");
  return project;
}

/** Codex puts a line on the time before the result. */
function answerIn(result: string) {
  return JSON.parse(result.slice(result.indexOf("{")));
}

/** What a model would do that follows its instructions: one call after the other, then a word at the end. */
function follow(results: readonly string[]): Reply {
  const call = (tool: string, input: Readonly<Record<string, unknown>>): Reply => ({
    calls: [{ name: `mcp__holdfast__${tool}`, input }],
  });
  const last = answerIn(results.at(-1) ?? "{}");
  switch (results.length) {
    case 0:
      return call("workflow_start", { workflow: "knot", summary: "a bowline" });
    case 1:
      return call("workflow_advance", { output: "two metres", token: last.token });
    case 2:
      return call("workflow_set_tasks", { loop_id: "tie", tasks: [{ id: "t1", title: "the end" }] });
    case 3:
      return call("workflow_advance", { output: "turned", token: last.token });
    case 4:
      return call("workflow_advance", { output: "good", token: last.token });
    case 5:
      return call("workflow_advance", { output: "good", outcome: "tight", token: "check#1" });
    default:
      return { text: `The run is ${last.status}.` };
  }
}

const expectedEvents = [
  "run-started",
  "visit-entered",
  "visit-ended",
  "step-ended",
  "visit-entered",
  "tasks-set",
  "visit-closed",
  "visit-entered",
  "visit-ended",
  "task-ended",
  "step-ended",
  "visit-entered",
  "gates-checked",
  "visit-ended",
  "step-ended",
  "run-completed",
];

async function expectCompleted(project: Project, results: readonly string[]): Promise<void> {
  const [started, advanced, set, turned, refused, done] = results.map(answerIn);
  expect(started).toMatchObject({ status: "running", step: "measure", token: "measure#1", summary: "a bowline" });
  expect(advanced).toMatchObject({ step: "tie", stepType: "loop", token: "tie#1" });
  expect(set).toMatchObject({ token: "tie/t1/turn#1", task: { title: "the end", index: 0, total: 1 } });
  expect(turned).toMatchObject({ token: "check#1", outcomes: ["tight", "loose"] });
  expect(refused).toMatchObject({ error: { code: "outcome-needed", next: "advance again with one of them" } });
  expect(done).toMatchObject({ status: "complete", token: null });
  const log = await project.json(["log", "--run", started.runId]);
  expect(log.value.events.map((event: { type: string }) => event.type)).toEqual(expectedEvents);
}

test("Claude Code starts, follows and finishes a workflow over MCP", async () => {
  const project = prepare();
  const mcpConfig = project.write("mcp.json", JSON.stringify({ mcpServers: { holdfast: server } }));
  const model = await startClaudeModel((request) => follow(claudeToolResults(request)));
  const turn = await runClaude("Tie a bowline", { project, model, mcpConfig, allowedTools: tools });
  expect(turn).toMatchObject({ result: "The run is complete.", failed: false });
  const [first = []] = model.requests.map(claudeToolNames);
  expect(first.filter((name) => name.startsWith("mcp__")).sort()).toEqual(tools);
  await expectCompleted(project, model.requests.map(claudeToolResults).at(-1) ?? []);
});

test("Codex starts, follows and finishes a workflow over MCP", async () => {
  const project = prepare();
  const model = await startCodexModel((request) => follow(codexToolResults(request)));
  const run = await runCodex("Tie a bowline", { project, model, mcpServers: { holdfast: server } });
  expect(run).toMatchObject({ message: "The run is complete.", failed: false });
  const [first = []] = model.requests.map(codexToolNames);
  expect(first.filter((name) => name.startsWith("mcp__")).sort()).toEqual(tools);
  await expectCompleted(project, model.requests.map(codexToolResults).at(-1) ?? []);
});
