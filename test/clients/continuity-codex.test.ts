import { expect, test } from "vitest";
import { runCodex } from "./codex.ts";
import { startCodexModel } from "./codex-model.ts";
import { codexText, codexToolResults } from "./codex-request.ts";
import { call, installedProject } from "./continuity.ts";
import type { Reply } from "./reply.ts";

const workflow = `
name: knot
description: Tie a knot
required_reading: ["@docs/rope.md"]
key_reminders: ["Never cut the rope"]
variables: { rope: hemp }
steps:
  - { id: measure, type: action, instructions: Measure the rope }
  - { id: tie, type: action, instructions: Tie the bowline }
`;

test("Codex is told of the run when a session starts, and put back on it when one is resumed", async () => {
  const project = await installedProject("codex");
  project.write(".holdfast/workflows/knot.yaml", workflow);
  project.write("docs/rope.md", "About rope\n");
  const planned: Reply[] = [
    call("workflow_start", { workflow: "knot" }),
    call("workflow_advance", { output: "twelve metres", token: "measure#1" }),
    { text: "Measured." },
  ];
  const model = await startCodexModel(() => planned.shift() ?? { text: "Understood." });
  const words = ["--dangerously-bypass-hook-trust"];
  await runCodex("Start the knot workflow", { project, model, words });
  const last = model.requests.at(-1);
  expect(last === undefined ? [] : codexToolResults(last)).toHaveLength(2);

  const seen = model.requests.length;
  await runCodex("Go on", { project, model, words: ["resume", "--last", ...words] });
  const text = codexText(model.requests[seen] as never);
  const { runId } = (await project.json(["status"])).value;
  for (const fact of [
    `run="${runId}"`,
    'reason="resume"',
    "1 measure  twelve metres",
    "CONTINUE HERE   step 2/2 tie · visit tie#1",
    "Tie the bowline",
    "@docs/rope.md",
    "Never cut the rope",
    "rope: hemp",
  ]) {
    expect(text).toContain(fact);
  }
  expect(text.match(/<holdfast run=/g)).toHaveLength(1);

  const before = model.requests.length;
  await runCodex("What is the capital of France?", { project, model, words });
  const other = codexText(model.requests[before] as never);
  expect(other).toContain("Holdfast: the workflow knot is in progress in this project");
  expect(other).not.toContain("<holdfast run=");
});
