import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../mcp/serve.ts";
import { openClaude } from "./claude.ts";
import { startClaudeModel } from "./claude-model.ts";
import { type ClaudeRequest, claudeText, isCompaction } from "./claude-request.ts";
import { call, handoffsIn, installedProject } from "./continuity.ts";
import type { Reply } from "./reply.ts";

const workflow = `
name: knot
description: Tie a knot
key_reminders: ["Never cut the rope"]
steps:
  - { id: tie, type: action, instructions: Tie the bowline }
`;

/** A subagent that reads until its context is full, goes on after the compaction, and ends. */
function createSubagent(file: string) {
  let turn = 0;
  return {
    hasEnded: () => turn > 7,
    reply(): Reply {
      turn += 1;
      if (turn > 7) return { text: "The subtask is done." };
      return {
        calls: [{ name: "Read", input: { file_path: file } }],
        inputTokens: turn === 4 ? 195_000 : 1_000,
      };
    },
  };
}

test("a subagent that is compacted goes on with its own task, and the main agent keeps its handoff", async () => {
  const project = await installedProject("claude");
  project.write(".holdfast/workflows/knot.yaml", workflow);
  const subagent = createSubagent(project.write("rope.txt", "Rope\n"));
  const isSubagents = (request: ClaudeRequest) => JSON.stringify(request.messages[0]).includes("SUBTASK");
  const planned: Reply[] = [
    call("workflow_start", { workflow: "knot" }),
    {
      calls: [
        {
          name: "Agent",
          input: { description: "Read", prompt: "SUBTASK: read the file", subagent_type: "general-purpose" },
        },
      ],
    },
    { text: "The subagent is done." },
  ];
  const model = await startClaudeModel((request) => {
    if (isCompaction(request)) return { text: `<summary>${isSubagents(request) ? "SUBTASK" : "We talked"}.</summary>` };
    return isSubagents(request) ? subagent.reply() : (planned.shift() ?? { text: "Understood." });
  });
  const session = await openClaude({
    project,
    model,
    mcpConfig: join(project.root, ".mcp.json"),
    allowedTools: ["mcp__holdfast__*", "Read", "Agent"],
    words: ["--model", "claude-sonnet-4-5"],
    env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000" },
  });
  await session.prompt("Start the knot workflow, with a subagent");
  // Newer versions let the main agent go on meanwhile.
  await until("the subagent ends", () => subagent.hasEnded());
  const [compaction, ...others] = model.requests.filter(isCompaction);
  expect([compaction !== undefined && isSubagents(compaction), others]).toEqual([true, []]);
  expect(claudeText(compaction as never)).not.toContain("A Holdfast workflow is in progress");
  const after = model.requests.slice(model.requests.indexOf(compaction as never) + 1).filter(isSubagents);
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
