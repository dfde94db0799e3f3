import { expect, test } from "vitest";
import { makeWorld } from "../world.ts";

const reviewed = `
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: review, type: action, instructions: Review }
  - { id: fix, type: action, instructions: Fix, when: "outputs.plan contains 'risky'" }
  - { id: ship, type: action, instructions: Ship }
`;

test.each([
  ["a risky plan", "fix"],
  ["a plan", "ship"],
])("another process reads from the journal what a condition asks for: %s leads to %s", async (plan, expected) => {
  const world = makeWorld();
  world.workflow("reviewed", reviewed);
  const { runId } = await world.agent("a").ok("start", { workflow: "reviewed" });
  await world.agent("a").ok("advance", { output: plan });
  expect(await world.agent("a").ok("advance", { output: "fine" })).toMatchObject({ step: expected });
  const skipped = (await world.agent("a").events(runId)).filter(({ type }) => type === "step-skipped");
  expect(skipped).toHaveLength(expected === "fix" ? 0 : 1);
});

test("a run whose steps are all skipped is complete when it has started", async () => {
  const world = makeWorld();
  world.workflow("empty", "steps: [{ id: a, type: action, instructions: A, when: vars.x }]");
  const started = await world.agent("a").ok("start", { workflow: "empty" });
  expect(started).toMatchObject({ status: "complete", step: "a", token: null });
  expect(world.journal(started.runId).trim().split("\n")).toHaveLength(1);
});
