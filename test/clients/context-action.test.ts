import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Project } from "../cli/program.ts";
import { until } from "../mcp/serve.ts";
import { claudeToolResults } from "./claude-request.ts";
import { call, expectRestored, installedProject, openInstalled, startPlannedModel } from "./continuity.ts";

const workflow = `
name: knot
description: Tie a knot
hold: true
steps:
  - { id: measure, type: action, instructions: Measure the rope }
  - { id: tie, type: action, context: compact, instructions: Tie the bowline }
  - { id: check, type: action, context: compact, instructions: Check the knot }
`;

/** What the program has recorded of a conversation, its notices to the person too. */
function transcriptOf({ home }: Project, session: string): string {
  const root = join(home, ".claude/projects");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(`${session}.jsonl`),
  );
  return files.map((name) => readFileSync(join(root, name), "utf8")).join("");
}

test("an agent that is asked for /compact may stop in a workflow that holds it, and goes on with or without it", async () => {
  const project = await installedProject("claude");
  project.write(".holdfast/workflows/knot.yaml", workflow);
  const model = await startPlannedModel();
  const session = await openInstalled(project, model);
  model.plan(
    call("workflow_start", { workflow: "knot" }),
    call("workflow_advance", { output: "twelve metres", token: "measure#1" }),
    { text: "Please type /compact, then say: go on." },
  );
  const asking = await session.prompt("Start the knot workflow");
  expect(asking.result).toBe("Please type /compact, then say: go on.");
  const asked = claudeToolResults(model.asked().at(-1) as never).at(-1);
  expect(asked).toContain('say to the person: \\"type /compact, then say: go on\\", and stop.');
  const waits = "Holdfast: the workflow knot waits for you to type /compact, then say: go on.";
  await until("the person reads what the run waits for", () => transcriptOf(project, asking.session).includes(waits));
  expect((await project.holdfast(["status"])).stdout).toContain("waits for you to type /compact");

  await session.prompt("/compact");
  model.plan(call("workflow_advance", { output: "tied", token: "tie#1" }), { text: "Please type /compact again." });
  await session.prompt("Go on");
  expectRestored(model.asked()[0], ["step 2/3 tie", "Tie the bowline"]);

  // This time the person says so without having typed it.
  model.plan(call("workflow_status"), { text: "Checking." }, { text: "Really." });
  await session.prompt("Go on");
  const [status = ""] = claudeToolResults(model.asked().at(-1) as never).slice(-1);
  expect(status).toContain("Check the knot");
  expect(status).toContain("No /compact was seen after you were asked for it; go on without it.");
  await session.close();
  const { events } = (await project.json(["log"])).value;
  const types = events.map(({ type }: { type: string }) => type).filter((type: string) => type.startsWith("context-"));
  expect(types).toEqual([
    "context-action-handed-out",
    "context-action-observed",
    "context-action-handed-out",
    "context-action-skipped",
  ]);
});
