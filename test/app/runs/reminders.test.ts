import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { makeWorld } from "../world.ts";

const workflow = `
variables: { ticket: none }
key_reminders:
  - "Ticket {vars.ticket}, about {run.summary}"
  - "Plain {{vars.ticket}, {task.title}, {vars.other} and {project_root}"
steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: ship, type: action, instructions: Ship it }
`;
const plain = "Plain {vars.ticket}, {task.title}, {vars.other} and {project_root}";

test("reminders show the run's values as they are now, in the handoff and on the card", async () => {
  const world = makeWorld();
  world.workflow("feature", workflow);
  const agent = world.agent("mine");
  const { runId } = await agent.ok("start", { workflow: "feature", summary: "passkeys" });
  const folder = "untracked/workflow-state/feature";
  const onCard = () => JSON.parse(world.read(`${folder}/${readdirSync(world.path(folder))[0]}`)).key_reminders;
  expect(onCard()).toEqual(["Ticket none, about passkeys", plain]);

  await agent.ok("advance", { output: "planned", variables: { ticket: "AB-1" } });
  expect(onCard()).toEqual([plain, "Ticket AB-1, about passkeys"]);
  const { text: handoff } = await world.person().ok("handoff", { run: runId });
  expect(handoff).toContain("Ticket AB-1, about passkeys");
  expect(handoff).not.toContain("Ticket none");
});
