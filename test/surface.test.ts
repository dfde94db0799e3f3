import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commands } from "../src/cli/commands.ts";
import { exitCodes } from "../src/cli/terminal/exit-codes.ts";
import { errorSummaries } from "../src/errors.ts";
import * as library from "../src/index.ts";
import { createTools } from "../src/mcp/tools.ts";
import { eventTypes } from "../src/model/event.ts";
import { refusalSummaries } from "../src/model/refusal/refusal.ts";
import { schemaNames } from "../src/model/written/json-schema.ts";
import * as workflow from "../src/workflow/index.ts";
import { createProject, twoSteps } from "./cli/program.ts";

// What others rely on. A red pin is a decision to make, not a test to loosen.

it("the library exports these names", () => {
  expect(exportsOf("src/index.ts")).toEqual([
    "AgentWords",
    "Command",
    "Decision",
    "ErrorCode",
    "HoldfastError",
    "Problem",
    "Reading",
    "Refusal",
    "RefusalCode",
    "Run",
    "RunEvent",
    "StartedRun",
    "Status",
    "Template",
    "World",
    "agentWords",
    "checkTemplate",
    "decide",
    "evolve",
    "isHoldfastError",
    "isLive",
    "loadTemplate",
    "problemText",
    "replay",
    "tasksOf",
    "view",
    "wordRefusal",
  ]);
  expect(exportsOf("src/index.ts")).toEqual(expect.arrayContaining(Object.keys(library)));
});

it("holdfast/workflow exports these names", () => {
  expect(exportsOf("src/workflow/index.ts")).toEqual([
    "AdvanceOptions",
    "AgentConfig",
    "AgentWords",
    "DiscoverWorkflowsOptions",
    "LoopStep",
    "Problem",
    "RegisteredArtefacts",
    "StepContextAction",
    "Task",
    "TaskContext",
    "TaskStatusContext",
    "WorkflowMetadata",
    "WorkflowProgress",
    "WorkflowState",
    "WorkflowStateMachine",
    "WorkflowStatusResponse",
    "WorkflowStep",
    "WorkflowTask",
    "WorkflowTemplate",
    "WorkflowValidationError",
    "agentWords",
    "discoverWorkflows",
    "loadWorkflowTemplate",
    "loadWorkflowTemplateFromString",
    "validateTemplate",
  ]);
  expect(exportsOf("src/workflow/index.ts")).toEqual(expect.arrayContaining(Object.keys(workflow)));
});

it("the package has these doors", () => {
  const { exports, bin } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(Object.keys(exports)).toEqual([
    ".",
    "./workflow",
    "./context",
    "./context/adapters",
    "./context/tokenizer",
    "./store/conformance",
    "./store/postgres",
    "./schema/*.json",
    "./package.json",
  ]);
  expect(Object.keys(bin)).toEqual(["holdfast"]);
});

it("refusals have these codes", () => {
  expect(refusalSummaries.map(([code]) => code).toSorted()).toEqual([
    "agent-unfit",
    "answer-needed",
    "approval-elsewhere",
    "approval-needed",
    "approval-not-asked",
    "artifact-missing",
    "artifact-unknown",
    "claim-held",
    "claim-lost",
    "claim-needed",
    "claim-not-held",
    "command-step",
    "confirmation-needed",
    "continue-refused",
    "copy-damaged",
    "decision-needed",
    "decision-not-pending",
    "driven-here",
    "event-unknown",
    "faber-invalid",
    "file-exists",
    "gate-failed",
    "gate-running",
    "gate-unchecked",
    "instructions-not-taken",
    "loop-finished",
    "loop-unknown",
    "outcome-needed",
    "outcome-unexpected",
    "outcome-unknown",
    "path-outside",
    "person-needed",
    "project-unfit",
    "question-not-open",
    "remote-run-unknown",
    "remote-unknown",
    "request-differs",
    "request-too-long",
    "review-needed",
    "review-not-open",
    "run-absent",
    "run-ambiguous",
    "run-driven",
    "run-ended",
    "run-exists",
    "run-live",
    "run-not-ended",
    "run-not-paused",
    "run-paused",
    "run-unknown",
    "runs-diverged",
    "step-running",
    "step-stale",
    "step-unknown",
    "store-local",
    "task-invalid",
    "task-not-open",
    "tasks-missing",
    "template-changed",
    "template-invalid",
    "template-unfit",
    "template-untrusted",
    "todo-blocked",
    "todo-invalid",
    "token-exists",
    "token-unknown",
    "tracked-ambiguous",
    "tracked-exists",
    "tracked-unknown",
    "tracking-off",
    "variable-invalid",
    "variable-missing",
    "variable-protected",
    "variable-unknown",
    "verdict-unfit",
    "visit-ambiguous",
    "visit-not-logged",
    "visit-unknown",
    "workflow-live",
    "workflow-unknown",
  ]);
});

it("errors have these codes", () => {
  expect(Object.keys(errorSummaries).toSorted()).toEqual([
    "file-unreadable",
    "file-unwritable",
    "format-newer",
    "git-failed",
    "journal-corrupt",
    "journal-rewound",
    "run-is-copy",
    "run-not-shared",
    "run-removed",
    "run-tracked",
    "settings-broken",
    "state-broken",
    "store-differs",
    "store-driver-missing",
    "store-refused",
    "store-rewound",
    "store-schema",
    "store-unconfigured",
    "store-unconfirmed",
    "store-unreachable",
    "version-conflict",
  ]);
});

it("the program ends with these codes", () => {
  expect(exitCodes).toEqual({ done: 0, refused: 1, usage: 2, failed: 3, waits: 4, interrupted: 130 });
});

it("a journal holds events of these types", () => {
  expect([...eventTypes].sort()).toEqual([
    "agent-told",
    "approval-given",
    "approval-refused",
    "approval-requested",
    "artefacts-registered",
    "artifacts-loaded",
    "attempt-began",
    "attempt-lost",
    "budget-counted",
    "card-edited",
    "carry-ended",
    "carry-set",
    "claim-lost",
    "claim-released",
    "command-ended",
    "command-interrupted",
    "command-started",
    "compaction-began",
    "compaction-ended",
    "context-action-handed-out",
    "context-action-observed",
    "context-action-skipped",
    "decision-requested",
    "drive-began",
    "drive-ended",
    "failure-decided",
    "failure-routed",
    "gates-checked",
    "gates-interrupted",
    "gates-started",
    "instructions-taken",
    "journal-repaired",
    "messages-delivered",
    "question-answered",
    "question-asked",
    "question-withdrawn",
    "review-decided",
    "review-opened",
    "run-aborted",
    "run-completed",
    "run-failed",
    "run-parked",
    "run-paused",
    "run-received",
    "run-redirected",
    "run-reopened",
    "run-resumed",
    "run-started",
    "session-ended",
    "session-started",
    "step-ended",
    "step-skipped",
    "summary-set",
    "task-ended",
    "tasks-set",
    "template-adopted",
    "todo-updated",
    "usage-recorded",
    "visit-claimed",
    "visit-closed",
    "visit-ended",
    "visit-entered",
    "visit-failed",
    "visit-taken",
  ]);
});

it("the program has these commands", () => {
  expect(commands.map(({ name }) => name)).toEqual([
    ...["list", "lint", "test", "schema", "graph", "template", "eject", "trust", "import-workflow"],
    ...["start", "next", "tasks", "advance", "fail", "ask", "todo", "prime"],
    ...["run", "code"],
    ...["track start", "track phase", "track remind", "track complete"],
    ...["status", "runs", "sessions", "log", "show", "diff", "handoff", "report", "context", "serve"],
    ...[
      "answer",
      "withdraw",
      "approve",
      "reject",
      "decide",
      "release",
      "tell",
      "pause",
      "resume",
      "abort",
      "goto",
      "reopen",
      "reset",
      "adopt",
      "rm",
      "gc",
    ],
    ...["init", "doctor", "repair", "push", "pull", "export", "import", "completion"],
    ...["store init", "store status", "store confirm", "store migrate"],
    ...["token create", "token list", "token revoke"],
  ]);
});

it("an agent has these tools", () => {
  expect(createTools(undefined).map(({ name }) => name)).toEqual([
    "workflow_list",
    "workflow_start",
    "workflow_status",
    "workflow_set_tasks",
    "workflow_advance",
    "workflow_context",
    "register_artefacts",
    "prime_context",
    "update_todo_list",
    "ask_question",
    "answer_question",
  ]);
});

it("there are JSON Schemas of these formats", () => {
  expect(schemaNames).toEqual(["template", "state", "event", "run-line"]);
  expect(readdirSync("schema").toSorted()).toEqual(["event.json", "run-line.json", "state.json", "template.json"]);
});

it("what is stored carries these formats", async () => {
  const project = createProject();
  const gated = twoSteps.replace("type: action,", 'type: action, gate: [{ run: "true" }],');
  project.write(".holdfast/workflows/flow.yaml", gated);
  await project.holdfast(["start", "flow", "--trust"]);
  await project.holdfast(["abort"]);
  const folder = project.runFolder();
  const names = readdirSync(folder).toSorted();
  expect(names.map((name) => name.replace(/-[0-9a-f]{16}/, "-<hash>"))).toEqual([
    "journal.jsonl",
    "snapshot.json",
    "template-<hash>.json",
  ]);
  const formats = names.map((name) => formatsIn(join(folder, name)));
  expect(formats).toEqual([[1, 1], [1], [1]]);
  expect(formatsIn(join(project.home, ".config/holdfast/trusted.jsonl"))).toEqual([2]);
});

/** Every name that an index file exports, types too. */
function exportsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(([, names = ""]) => names.split(","));
  return lists
    .flat()
    .map((name) => name.trim().replace(/^type /, ""))
    .filter((name) => name !== "")
    .toSorted();
}

/** The format of each line of a journal, or of the one value of another file. */
function formatsIn(file: string): number[] {
  const text = readFileSync(file, "utf8").trim();
  const values = file.endsWith(".jsonl") ? text.split("\n") : [text];
  return values.map((value) => JSON.parse(value).format);
}
