import { expect, test } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { runHook } from "../hooks/hook-program.ts";
import { addWorkflow, eventTypes, type Json, type Server, serveHere, trustAll, until } from "./serve.ts";

const steps = `
steps:
  - { id: plan, type: action, instructions: Plan it, artefacts: true, budget: { turns: 5 } }
  - { id: ship, type: action, instructions: Ship it }
`;

const session = { session_id: "s-1", host: "claude", via: "project" };

async function begin() {
  const project = createProject();
  addWorkflow(project, "work", steps);
  const server = await serveHere(project, { env: { CLAUDE_CODE_SESSION_ID: "s-1" } });
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
    "usage-recorded",
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
  expect(after).toEqual({ ...before, artefacts: after.artefacts, usage: after.usage });
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

const held = `
hold: true
steps:
  - { id: plan, type: action, instructions: Plan it }
  - { id: build, type: action, instructions: Build it, context: compact, gate: [{ run: "until [ -e built ]; do sleep .05; done" }] }
`;

async function beginHeld(hooks: "with hooks" | "without hooks"): Promise<{ project: Project; server: Server }> {
  const project = createProject();
  trustAll(project);
  addWorkflow(project, "held", held);
  const server = await serveHere(project, { env: { CLAUDE_CODE_SESSION_ID: "s-1" } });
  if (hooks === "with hooks") await runHook(project, "SessionStart", { session_id: "s-1", source: "startup" });
  await server.ok("workflow_start", { workflow: "held" });
  expect(await server.ok("workflow_advance", { output: "A plan" })).toMatchObject({ contextAction: "/compact" });
  return { project, server };
}

const stop = async (server: Server) => {
  const { content } = await hook(server, { event: "Stop", stop_hook_active: "false", ...session });
  return content[0].text === "" ? {} : JSON.parse(content[0].text);
};

test("an agent that was asked for /compact may stop, and its person reads what the run waits for", async () => {
  const { project, server } = await beginHeld("with hooks");
  const waits = "waits for you to type /compact";
  expect(await stop(server)).toEqual({ systemMessage: `Holdfast: the workflow held ${waits}, then say: go on.` });
  const { stdout } = await project.holdfast(["status"]);
  expect(stdout).toContain(waits);
  expect(stdout).toContain("Next: type /compact in the agent's session, then say: go on.");
});

test("an agent that comes back with a start instead learns both, that the run is live and that no /compact was seen", async () => {
  const { server } = await beginHeld("with hooks");
  expect(await server.ok("workflow_start", { workflow: "held" })).toMatchObject({
    note: "already live; nothing was started. No /compact was seen after you were asked for it; go on without it.",
  });
});

test("an agent that comes back without the /compact learns that once, goes on, and the journal shows it", async () => {
  const { project, server } = await beginHeld("with hooks");
  const back = await server.ok("workflow_status");
  expect(back).toMatchObject({
    step: "build",
    note: "No /compact was seen after you were asked for it; go on without it.",
  });
  expect(back.instructions).toContain("Build it");
  const again = await server.ok("workflow_status");
  expect([again.note, again.contextAction]).toEqual([undefined, undefined]);
  const actions = eventTypes(project).filter((type) => type.startsWith("context-action"));
  expect(actions).toEqual(["context-action-handed-out", "context-action-skipped"]);
  expect((await stop(server)).decision).toBe("block");
  expect((await project.holdfast(["status"])).stdout).not.toContain("waits for you to type");
});

test("an agent that comes back after the /compact hears nothing of it", async () => {
  const { project, server } = await beginHeld("with hooks");
  await runHook(project, "PreCompact", { session_id: "s-1", trigger: "manual" });
  await runHook(project, "SessionStart", { session_id: "s-1", source: "compact" });
  await runHook(project, "PostCompact", { session_id: "s-1", trigger: "manual", compact_summary: "We talked." });
  expect((await server.ok("workflow_status")).note).toBeUndefined();
  const actions = eventTypes(project).filter((type) => type.startsWith("context-action"));
  expect(actions).toEqual(["context-action-handed-out", "context-action-observed"]);
});

test("where no hook could have seen the /compact, nothing is said or recorded about it", async () => {
  const { project, server } = await beginHeld("without hooks");
  expect((await server.ok("workflow_status")).note).toBeUndefined();
  expect(eventTypes(project)).not.toContain("context-action-skipped");
});

test("an agent whose gate is still running may stop, and its person reads that", async () => {
  const { project, server } = await beginHeld("without hooks");
  await server.ok("workflow_status");
  const advanced = server.begin("tools/call", { name: "workflow_advance", arguments: { output: "Built" } });
  await until("the gate runs", () => eventTypes(project).includes("gates-started"));
  const systemMessage = "Holdfast: the workflow held waits for the gates of the step build, which are still running.";
  expect(await stop(server)).toEqual({ systemMessage });
  project.write("built", "");
  expect((await advanced.answer).result.structuredContent).toMatchObject({ status: "complete" });
});
