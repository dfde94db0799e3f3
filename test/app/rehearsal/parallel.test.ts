import { expect, test } from "vitest";
import { printGraph, printMermaid } from "../../../src/cli/print/print-lists.ts";
import { printRehearsal } from "../../../src/cli/print/print-rehearsal.ts";
import { createPaint } from "../../../src/cli/terminal/paint.ts";
import { boatLaw } from "../commands/parallel-loop.ts";
import { makeWorld } from "../world.ts";

const paint = createPaint({ colours: false, columns: null });

function boat() {
  const world = makeWorld({ git: false });
  world.workflow("boat", boatLaw.replace("id: implement, ", "id: implement, max_retries: 1, on_fail: retry, "));
  return world.person();
}

test("a rehearsal shows what happens at the first sub-step of every task, and what its agent is told", async () => {
  const script = `
answers:
  build/t1/implement: [{ fail: it SANK }, { output: it floats }]
expect:
  told: { build/t2/implement: Implement Second task }
`;
  const tested = await boat().ok("test", { workflow: "boat", script });
  expect(tested.problems).toEqual([]);
  const at = (place: string) => tested.visits.find((visit) => visit.place === place);
  expect(at("build/t1/implement")).toMatchObject({ notes: ["fails: it SANK"] });
  expect(at("build/t2/implement")).toMatchObject({ instructions: expect.stringMatching(/^Implement Second task/) });
  expect(printRehearsal(tested, paint, true)).toMatch(/build\/t1\/implement#1 +fails: it SANK\n +Implement First task/);
});

test("the graph shows how many tasks are open at a time", async () => {
  const graph = await boat().ok("graph", { workflow: "boat" });
  expect(graph.steps.map(({ id, parallel }) => [id, parallel])).toEqual([
    ["build", 3],
    ["ship", null],
  ]);
  expect(printGraph(graph, paint)).toContain("up to 3 tasks at a time");
  expect(printMermaid(graph)).toContain("build (loop, parallel 3)");
});
