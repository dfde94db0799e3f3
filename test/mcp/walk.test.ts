import { expect, test } from "vitest";
import { createProject } from "../cli/program.ts";
import { addWorkflow, serveHere } from "./serve.ts";

import { walk, ways } from "./walked.ts";

test.each([ways.lines])("a workflow is walked from its start to its end by %s", (_name, open) => walk(open));

test("what was said so far comes by step, and within limits: the oldest and the longest are shortened, and named", async () => {
  const project = createProject();
  const steps = Array.from({ length: 12 }, (_, index) => `  - { id: s${index}, type: action, instructions: Do it }`);
  addWorkflow(project, "long", `steps:\n${steps.join("\n")}`);
  const server = await serveHere(project);
  await server.ok("workflow_start", { workflow: "long" });
  for (let index = 0; index < 10; index++) await server.ok("workflow_advance", { output: `${index}`.repeat(3_000) });
  await server.ok("workflow_advance", { output: "é".repeat(9_000) });
  const all = await server.ok("workflow_context");
  expect(all.shortened).toEqual(["s0", "s1", "s2", "s3", "s4", "s10"]);
  expect(Object.keys(all.outputs)).toEqual(["s5", "s6", "s7", "s8", "s9", "s10"]);
  expect(all.outputs.s10).toBe(`${"é".repeat(4_000)}…`);
  expect(await server.ok("workflow_context", { step: "s1" })).toMatchObject({
    outputs: { s1: "1".repeat(3_000) },
    shortened: [],
  });
});
