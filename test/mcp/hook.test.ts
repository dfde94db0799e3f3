import { expect, test } from "vitest";
import { createProject } from "../cli/program.ts";
import { addWorkflow, type Json, type Server, serve } from "./serve.ts";

const steps = `
steps:
  - { id: plan, type: action, instructions: Plan it, artefacts: true, budget: { turns: 5 } }
  - { id: ship, type: action, instructions: Ship it }
`;

const session = { session_id: "s-1", host: "claude", via: "project" };

async function begin() {
  const project = createProject();
  addWorkflow(project, "work", steps);
  const server = await serve(project, { env: { CLAUDE_CODE_SESSION_ID: "s-1" } });
  await server.ok("workflow_start", { workflow: "work" });
  return { project, server };
}

/** As the host calls it: what it reads is the text. */
async function hook(server: Server, input: Json): Promise<Json> {
  return (await server.request("tools/call", { name: "hook", arguments: input })).result;
}

test("a server of Claude Code takes a run for that conversation's, and its hooks find it", async () => {
  const { project, server } = await begin();
  await hook(server, { event: "PostToolUse", file_path: "notes.md", ...session });
  await hook(server, { event: "Stop", stop_hook_active: "false", ...session });
  const { value } = await project.json(["log"]);
  expect(value.events.map(({ type }: { type: string }) => type).slice(-2)).toEqual([
    "artefacts-registered",
    "budget-counted",
  ]);
});

test("what a model sends to the hook tool moves nothing", async () => {
  const { project, server } = await begin();
  const before = (await project.json(["status"])).value;
  for (const event of ["advance", "approve", "SessionEnd", "Stop", "PreCompact", "complete", "", "__proto__"]) {
    const { content, isError } = await hook(server, { event, token: before.token, outcome: "done", ...session });
    expect([content.length, isError ?? false], event).toEqual([1, false]);
  }
  const after = (await project.json(["status"])).value;
  expect(after).toEqual({ ...before, artefacts: after.artefacts });
});

test("the handoff of a run can be read as a resource", async () => {
  const { project, server } = await begin();
  const { runId } = (await project.json(["status"])).value;
  const { result } = await server.request("resources/read", { uri: `holdfast://runs/${runId}/handoff` });
  const [{ text, mimeType }] = result.contents;
  expect(mimeType).toBe("text/plain");
  expect(text).toContain(`run="${runId}"`);
  expect(text).toContain("CONTINUE HERE   step 1/2 plan · visit plan#1\n  | Plan it");
});
