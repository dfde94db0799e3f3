import { join } from "node:path";
import { expect, test } from "vitest";
import type { Project } from "../cli/program.ts";
import { openClaude, runClaude } from "./claude.ts";
import { claudeText, claudeToolResults } from "./claude-request.ts";
import {
  call,
  expectRestored,
  handoffsIn,
  installedProject,
  type PlannedModel,
  startPlannedModel,
} from "./continuity.ts";

const workflow = `
name: knot
description: Tie a knot
type: implementation
required_reading: ["@docs/rope.md", "@docs/missing.md"]
key_reminders: ["Never cut the rope", "Keep the end in sight"]
variables: { rope: hemp, length: 12 }
loops:
  tie:
    - { id: turn, instructions: "Make the turn for {task.title}, then pull." }
    - { id: look, instructions: "Look at {task.title}." }
steps:
  - { id: measure, type: action, phase: Prepare, instructions: Measure the rope }
  - { id: tie, type: loop, phase: Work }
  - { id: check, type: action, phase: Finish, instructions: Check the knot twice }
`;

const tasks = [
  { id: "t1", title: "the bowline" },
  { id: "t2", title: "the clove hitch" },
];

async function prepare(): Promise<Project> {
  const project = await installedProject("claude");
  project.write(".holdfast/workflows/knot.yaml", workflow);
  project.write("docs/rope.md", "About rope\n");
  return project;
}

function options(project: Project, model: PlannedModel) {
  return {
    project,
    model,
    mcpConfig: join(project.root, ".mcp.json"),
    allowedTools: ["mcp__holdfast__*", "Write"],
    words: ["--model", "claude-sonnet-4-5"],
    env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" },
  };
}

/** All that the model must have before it, wherever the run stands. */
function always(runId: string): string[] {
  return [
    runId,
    "Workflow: knot (implementation)",
    "@docs/rope.md",
    "@docs/missing.md (missing)",
    "Never cut the rope",
    "Keep the end in sight",
    "rope: hemp",
    "length: 12",
    "1 measure  twelve metres",
  ];
}

test("whatever happens to a conversation with Claude Code, the next request has every critical fact, once", async () => {
  const project = await prepare();
  const model = await startPlannedModel();
  const session = await openClaude(options(project, model));

  model.plan(call("workflow_start", { workflow: "knot" }), { text: "Started." });
  await session.prompt("Start the knot workflow");
  model.plan(
    call("workflow_advance", { output: "twelve metres", token: "measure#1" }),
    call("workflow_set_tasks", { loop_id: "tie", tasks }),
    { text: "Measured." },
  );
  await session.prompt("Go on");
  const { runId } = (await project.json(["status"])).value;
  const atFirst = [...always(runId), "phase 2/3 Work", "step 2/3 tie", "the bowline", "Make the turn for the bowline"];

  model.asked();
  await session.prompt("/compact keep the mood");
  await session.prompt("Where are we?");
  expectRestored(model.asked().at(-1), atFirst);
  expect(claudeText(model.compactions()[0] as never)).toContain("visit tie/t1/turn#1");

  // Between two turns: the last answer said that the context is nearly full.
  model.plan({ text: "Full.", inputTokens: 195_000 });
  await session.prompt("One more thing");
  model.asked();
  model.plan(call("workflow_advance", { output: "turned", token: "tie/t1/turn#1" }), { text: "Turned." });
  await session.prompt("Turn it");
  expect(model.compactions()).toHaveLength(2);
  expectRestored(model.asked()[0], atFirst);

  // In the middle of a turn: the answer that calls a tool fills the context.
  await session.prompt("Talk to me");
  await session.prompt("Talk to me again");
  model.asked();
  model.plan(
    { ...call("workflow_advance", { output: "looks good", token: "tie/t1/look#1" }), inputTokens: 195_000 },
    { text: "Looked." },
  );
  await session.prompt("Look at it");
  expect(model.compactions()).toHaveLength(3);
  const atSecond = [
    ...always(runId),
    "phase 2/3 Work",
    'task 1/2 "the bowline"',
    'task 2/2 "the clove hitch" · sub-step turn (1/2)',
    "Make the turn for the clove hitch",
  ];
  expectRestored(model.asked().at(-1), atSecond);

  await session.prompt("/clear");
  await session.prompt("And now?");
  expectRestored(model.asked().at(-1), atSecond);
  await session.close();

  const continued = await runClaude("Still there?", { ...options(project, model), resumes: "last" });
  expectRestored(model.asked().at(-1), atSecond);

  const killed = await openClaude({ ...options(project, model), resumes: { session: continued.session } });
  await killed.prompt("Hello");
  model.asked();
  await killed.kill();
  const resumed = await openClaude({ ...options(project, model), resumes: { session: continued.session } });
  model.plan(call("workflow_advance", { output: "hitched", token: "tie/t2/turn#1" }), { text: "Hitched." });
  await resumed.prompt("Go on");
  expectRestored(model.asked()[0], atSecond);
  await resumed.close();

  const { events } = (await project.json(["log"])).value;
  const types = events.map(({ type }: { type: string }) => type);
  expect(types.filter((type: string) => type === "compaction-began")).toHaveLength(3);
  expect(types.filter((type: string) => type === "visit-ended")).toHaveLength(4);
});

test("a second window with another question gets one line, not the run", async () => {
  const project = await prepare();
  const model = await startPlannedModel();
  const first = await openClaude(options(project, model));
  model.plan(call("workflow_start", { workflow: "knot" }), { text: "Started." });
  await first.prompt("Start the knot workflow");

  model.asked();
  await runClaude("What is the capital of France?", options(project, model));
  const [asked] = model.asked();
  expect(handoffsIn(asked)).toEqual([]);
  const lines = claudeText(asked as never)
    .split("\n")
    .filter((line) => line.includes("Holdfast: the workflow knot"));
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain("Never cut the rope");
  await first.close();
});

test("with the plugin and the project's hooks both installed everything is still told once", async () => {
  const project = await prepare();
  const model = await startPlannedModel();
  const session = await openClaude({ ...options(project, model), pluginDir: join(process.cwd(), "plugin") });
  model.plan(call("workflow_start", { workflow: "knot" }), { text: "Started." });
  await session.prompt("Start the knot workflow");
  await session.prompt("Go on");
  model.asked();
  await session.prompt("/compact");
  await session.prompt("Where are we?");
  expectRestored(model.asked().at(-1), ["Measure the rope", "@docs/rope.md"]);
  const kept = claudeText(model.compactions()[0] as never).match(/A Holdfast workflow is in progress/g);
  expect(kept).toHaveLength(1);
  await session.prompt("/clear");
  await session.prompt("And now?");
  expectRestored(model.asked().at(-1), ["Measure the rope", "@docs/rope.md"]);
  await session.close();
  const { events } = (await project.json(["log"])).value;
  expect(events.filter(({ type }: { type: string }) => type === "compaction-began")).toHaveLength(1);
});

test("a file that the agent writes is registered where the step says so, and a workflow that holds lets nobody stop early", async () => {
  const project = await prepare();
  project.write(
    ".holdfast/workflows/hold.yaml",
    `
name: hold
description: Holds
hold: true
steps:
  - { id: write, type: action, instructions: Write it, artefacts: true, budget: { turns: 50 } }
`,
  );
  const model = await startPlannedModel();
  const session = await openClaude(options(project, model));
  model.plan(call("workflow_start", { workflow: "hold" }), { text: "I stop here." }, { text: "Really." });
  await session.prompt("Start the hold workflow");
  const asked = model.asked();
  expect(claudeText(asked.at(-1) as never)).toContain("The workflow hold is not complete: it is at step 1/1 write");
  model.plan(
    { calls: [{ name: "Write", input: { file_path: join(project.root, "out.txt"), content: "done" } }] },
    call("workflow_advance", { output: "written" }),
    { text: "Done." },
  );
  await session.prompt("Write it");
  expect(claudeToolResults(model.asked().at(-1) as never).at(-1)).toContain('"artefacts":["out.txt"]');
  await session.close();
});
