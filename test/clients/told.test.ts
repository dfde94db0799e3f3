import { join } from "node:path";
import { expect, test } from "vitest";
import type { Project } from "../cli/program.ts";
import { openClaude, runClaude } from "./claude.ts";
import { type ClaudeRequest, claudeText, claudeToolResults } from "./claude-request.ts";
import { call, handoffsIn, installedProject, type PlannedModel, startPlannedModel } from "./continuity.ts";
import { claudeVersions } from "./programs.ts";

const workflow = `
name: knot
description: Tie a knot
agents:
  tester: { description: pulls hard, tools: [read], cannot: [cut] }
required_reading: ["@docs/rope.md"]
key_reminders: ["Never cut the rope"]
variables: { ticket: HF-7 }
steps:
  - { id: measure, type: action, instructions: Measure the rope, gate: [{ exists: docs/length.md }] }
  - { id: tie, type: action, context: compact, instructions: Tie it }
  - { id: pull, type: action, agent: tester, instructions: Pull at it }
`;

/** What applies to the whole run. */
const ofRun = ["@docs/rope.md", "Never cut the rope", "ticket: HF-7"];

async function prepare(): Promise<Project> {
  const project = await installedProject("claude");
  project.write(".holdfast/workflows/knot.yaml", workflow);
  project.write("docs/rope.md", "About rope\n");
  project.write("docs/length.md", "Twelve metres\n");
  return project;
}

function options(project: Project, model: PlannedModel) {
  const mcpConfig = join(project.root, ".mcp.json");
  return {
    project,
    model,
    mcpConfig,
    allowedTools: ["mcp__holdfast__*"],
    words: ["--model", "claude-sonnet-4-5"],
    version: claudeVersions.newest,
  };
}

/** The latest answer of ours in a request. */
function lastResult(request: ClaudeRequest | undefined): string {
  return request === undefined ? "" : (claudeToolResults(request).at(-1) ?? "");
}

function missingIn(text: string, facts: readonly string[]): string[] {
  return facts.filter((fact) => !text.includes(fact));
}

function times(text: string, fact: string): number {
  return text.split(fact).length - 1;
}

test("the rules are before the model from its first request on, once, and again after each loss", async () => {
  const project = await prepare();
  const model = await startPlannedModel();
  const session = await openClaude(options(project, model));

  model.plan(call("workflow_start", { workflow: "knot", summary: "A bowline" }), { text: "Started." });
  await session.prompt("Start the knot workflow");
  const started = lastResult(model.asked().at(-1));
  expect(missingIn(started, ["Before this visit may end: docs/length.md exists.", ...ofRun])).toEqual([]);

  // The next visit wants a compaction first; until its instructions have been handed out, it cannot end.
  model.plan(
    call("workflow_advance", { output: "twelve metres" }),
    call("workflow_advance", { output: "twelve metres" }),
    { text: "Type /compact, then say: go on." },
  );
  await session.prompt("Go on");
  const [, action, refused] = model.asked().map(lastResult);
  expect(action).toContain("Please run `/compact` first, then call workflow_status again.");
  expect(refused).toContain("instructions-not-taken");

  await session.prompt("/compact");
  model.plan(call("workflow_status"), call("workflow_advance", { output: "tied" }), { text: "Tied." });
  await session.prompt("go on");
  const [restored, status, advanced] = model.asked();
  const [handoff = ""] = handoffsIn(restored);
  expect(missingIn(handoff, ["Tie it", "1 measure  twelve metres", ...ofRun])).toEqual([]);
  // What the handoff brought is not told again.
  expect(lastResult(status)).toContain("Tie it");
  expect(ofRun.filter((fact) => lastResult(status).includes(fact))).toEqual([]);
  expect(times(claudeText(status as ClaudeRequest), "Never cut the rope")).toBe(1);
  // Hooks that have nothing to say leave no trace.
  expect(claudeText(advanced as ClaudeRequest)).not.toMatch(/hook (success|error)/);
  expect(lastResult(advanced)).toContain(
    'The agent \\"tester\\": pulls hard. Its tools: read. It must not: cut. Tell it so.',
  );
});

test("in a new conversation one call brings everything, and after the end the run says that it is complete", async () => {
  const project = await prepare();
  const model = await startPlannedModel();
  model.plan(call("workflow_start", { workflow: "knot" }), call("workflow_advance", { output: "twelve metres" }), {
    text: "Measured.",
  });
  await runClaude("Start the knot workflow", options(project, model));
  const { runId } = (await project.json(["status"])).value;
  model.asked();

  const session = await openClaude(options(project, model));
  model.plan(call("workflow_status", { run_id: runId }), { text: "I see." });
  await session.prompt("Take up the knot");
  const [first, second] = model.asked();
  expect(claudeText(first as ClaudeRequest)).toContain(`call workflow_status with run_id ${runId}`);
  const facts = ["tie#1", "Tie it", "1 measure  twelve metres", ...ofRun];
  expect(missingIn(lastResult(second), facts)).toEqual([]);

  model.plan(
    call("workflow_advance", { output: "tied" }),
    call("workflow_advance", { output: "holds" }),
    call("workflow_status"),
    call("workflow_context"),
    { text: "Done." },
  );
  await session.prompt("Finish it");
  const answers = model.asked().map(lastResult);
  expect(answers.at(-3)).toContain('"status":"complete"');
  expect(answers.at(-2)).toContain('"status":"complete"');
  expect(answers.at(-2)).not.toContain("workflow_start");
  expect(answers.at(-1)).toContain("twelve metres");
});
