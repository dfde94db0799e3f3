import { expect, test } from "vitest";
import { createProject } from "../cli/program.ts";
import { connectTo, serveMcp } from "../serve/mcp/http-client.ts";
import { runClaude } from "./claude.ts";
import { startClaudeModel } from "./claude-model.ts";
import { claudeToolNames, claudeToolResults } from "./claude-request.ts";
import type { Reply } from "./reply.ts";

const workflow = `name: knot
description: Tie a knot
steps:
  - { id: measure, type: action, instructions: Measure the rope }
  - { id: tie, type: action, instructions: Tie it, gate: [{ exists: rope.txt }] }
  - { id: check, type: action, instructions: Look at it }
`;

test("Claude Code does a whole workflow over HTTP, and the server may be restarted in between", async () => {
  const project = createProject();
  project.write(".holdfast/workflows/knot.yaml", workflow);
  project.write("rope.txt", "a rope\n");
  const served = await serveMcp(project);
  const url = `http://127.0.0.1:${served.server.port}/mcp/${served.id}`;
  const headers = { Authorization: `Bearer ${served.tokens.agent}` };
  const config = { mcpServers: { holdfast: { type: "http", url, headers } } };
  const mcpConfig = project.write("mcp.json", JSON.stringify(config));
  const call = (tool: string, input: object): Reply => ({
    calls: [{ name: `mcp__holdfast__${tool}`, input: { ...input } }],
  });
  const model = await startClaudeModel(async (request) => {
    const results = claudeToolResults(request);
    if (!(results.at(-1) ?? "{}").startsWith("{")) return { text: results.at(-1) ?? "" };
    const last = JSON.parse(results.at(-1) ?? "{}");
    if (results.length === 0) return call("workflow_start", { workflow: "knot", request: "Tie a bowline" });
    if (results.length === 2) await served.restart();
    return last.status === "complete"
      ? { text: "The run is complete." }
      : call("workflow_advance", { output: "done", token: last.token });
  });
  const tools = ["start", "advance", "status"].map((name) => `mcp__holdfast__workflow_${name}`);
  const turn = await runClaude("Tie a bowline", { project, model, mcpConfig, allowedTools: tools });
  expect(turn).toMatchObject({ result: "The run is complete.", failed: false });
  const [first = []] = model.requests.map(claudeToolNames);
  expect(first).toContain("mcp__holdfast__workflow_start");
  expect(first).not.toContain("mcp__holdfast__hook");
  const results = (model.requests.map(claudeToolResults).at(-1) ?? []).map((text) => JSON.parse(text));
  expect(results.map(({ step }) => step)).toEqual(["measure", "tie", "check", expect.anything()]);
  // Every call of the conversation came with the session that the client got when it connected.
  const { value } = await project.json(["log", "--run", results[0].runId]);
  const ended = value.events.filter(({ type }: { type: string }) => type === "visit-ended");
  expect(ended.map(({ session }: { session: string }) => session)).toEqual(Array(3).fill(results[0].session));
  const { call: ask } = await connectTo(served);
  expect(await ask("workflow_status", { run_id: results[0].runId })).toMatchObject({ status: "complete" });
});
