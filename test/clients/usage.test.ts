import { expect, test } from "vitest";
import { call, installedProject, openInstalled, startPlannedModel } from "./continuity.ts";
import { claudeVersions } from "./programs.ts";

const workflow = `
name: knot
description: Tie a knot
steps:
  - { id: measure, type: action, instructions: Measure the rope }
  - { id: tie, type: action, instructions: Tie it }
`;

test("what Claude Code writes into its transcript counts for the visit that it was used in, once", async () => {
  const project = await installedProject("claude");
  project.write(".holdfast/workflows/knot.yaml", workflow);
  const model = await startPlannedModel();
  const session = await openInstalled(project, model, { version: claudeVersions.newest });
  model.plan(call("workflow_start", { workflow: "knot" }), call("workflow_advance", { output: "two metres" }), {
    text: "Measured.",
  });
  await session.prompt("Tie a knot");
  const { value: first } = await project.json(["status"]);
  model.plan({ text: "Still at it." });
  await session.prompt("Go on");
  model.plan(call("workflow_advance", { output: "a bowline" }), { text: "Tied." });
  await session.prompt("Go on");
  const { value: last } = await project.json(["status", "--run", first.runId]);
  await session.close();
  expect(first).toMatchObject({ step: "tie", usage: { turns: 1 } });
  expect(last).toMatchObject({ status: "complete", usage: { turns: 2, cost: null } });
  // Each answer of the scripted model has 1,010 tokens, and the first came before the run. The transcript may have an
  // answer only after the hook has looked; then the next call counts it.
  expect([1_010, 2_020]).toContain(first.usage.tokens);
  expect([3_030, 4_040]).toContain(last.usage.tokens);
});
