import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../mcp/serve.ts";
import { openClaude } from "./claude.ts";
import { claudeText, isCompaction } from "./claude-request.ts";
import { call, createFullSubagent, handoffsIn, installedProject, startPlannedModel } from "./continuity.ts";

const workflow = `
name: knot
description: Tie a knot
key_reminders: ["Never cut the rope"]
steps:
  - { id: tie, type: action, instructions: Tie the bowline }
`;

test("a subagent that is compacted goes on with its own task, and the main agent keeps its handoff", async () => {
  const project = await installedProject("claude");
  project.write(".holdfast/workflows/knot.yaml", workflow);
  const subagent = createFullSubagent(project.write("rope.txt", "Rope\n"));
  const model = await startPlannedModel(subagent);
  const session = await openClaude({
    project,
    model,
    mcpConfig: join(project.root, ".mcp.json"),
    allowedTools: ["mcp__holdfast__*", "Read", "Agent"],
    words: ["--model", "claude-sonnet-4-5"],
    env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" },
  });
  model.plan(call("workflow_start", { workflow: "knot" }), subagent.call, { text: "The subagent is done." });
  await session.prompt("Start the knot workflow, with a subagent");
  // Newer versions let the main agent go on meanwhile.
  await until("the subagent ends", () => subagent.hasEnded());
  const [compaction, ...others] = model.requests.filter(isCompaction);
  expect([compaction !== undefined && subagent.isMine(compaction), others]).toEqual([true, []]);
  expect(claudeText(compaction as never)).not.toContain("A Holdfast workflow is in progress");
  const after = model.requests.slice(model.requests.indexOf(compaction as never) + 1).filter(subagent.isMine);
  expect(after.flatMap(handoffsIn)).toEqual([]);
  expect(claudeText(after[0] as never)).toContain("Holdfast: you are a subagent. Go on with the task you were given");

  await session.prompt("/compact");
  await session.prompt("Where are we?");
  expect(handoffsIn(model.requests.at(-1))).toEqual([expect.stringContaining("Tie the bowline")]);
  await session.close();
  const { events } = (await project.json(["log"])).value;
  expect(events.filter(({ type }: { type: string }) => type === "compaction-began")).toMatchObject([
    { trigger: "manual" },
  ]);
});
