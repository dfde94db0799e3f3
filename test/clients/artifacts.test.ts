import { expect, test } from "vitest";
import { claudeText } from "./claude-request.ts";
import { call, expectRestored, installedProject, openInstalled, startPlannedModel } from "./continuity.ts";
import { claudeVersions } from "./programs.ts";

const workflow = `
name: knot
description: Tie a knot
critical_artifacts:
  always_load:
    - { id: protocol, type: markdown, path: docs/protocol.md, description: how we tie, required: true, reload_triggers: [session_start] }
    - { id: workflow-state, type: json, path: "{run_state}", required: true, reload_triggers: [session_start] }
steps:
  - { id: measure, type: action, phase: Prepare, instructions: Measure the rope }
  - { id: tie, type: action, phase: Work, instructions: Tie it }
`;

test("with Claude Code an artifact is before the model from the start, after a compaction and after a clear", async () => {
  const project = await installedProject("claude");
  project.write(".holdfast/workflows/knot.yaml", workflow);
  project.write("docs/protocol.md", "Left over right, then right over left.\n");
  const model = await startPlannedModel();
  const session = await openInstalled(project, model, { words: ["--model", "claude-sonnet-4-5"] });
  const asked = () => claudeText(model.asked().at(-1) as never);

  model.plan(call("workflow_start", { workflow: "knot" }), { text: "Started." });
  await session.prompt("Start the knot workflow");
  expect(asked()).toContain("Left over right, then right over left.");

  // In the same epoch it is not loaded again, and the answer says so.
  model.plan(call("prime_context"), { text: "Primed." });
  await session.prompt("Prime yourself");
  expect(asked()).toContain("Unchanged since it was loaded above.");

  const facts = [
    "### protocol: how we tie (required)",
    "Left over right, then right over left.",
    '"workflow": "knot"',
    '"step": "measure"',
  ];
  await session.prompt("/compact");
  await session.prompt("Where are we?");
  expectRestored(model.asked().at(-1), facts);

  project.write("docs/protocol.md", "Right over left, then left over right.\n");
  await session.prompt("/clear");
  await session.prompt("And now?");
  expectRestored(model.asked().at(-1), [facts[0] ?? "", "Right over left, then left over right."]);
  await session.close();

  const { session_history: history, context_metadata: metadata } = (await project.json(["sessions"])).value;
  const told = { host: "claude", host_version: claudeVersions.pinned };
  expect(history).toMatchObject([
    { ...told, end_reason: "clear", compactions: 1, environment: { platform: process.platform, cwd: "." } },
    { ...told, compactions: 0, environment: { platform: process.platform, cwd: "." } },
  ]);
  expect(history).toHaveLength(2);
  expect(metadata.reload_count).toBe(3);
});
