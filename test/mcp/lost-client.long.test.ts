import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { addWorkflow, isAlive, lines, type ServerProcess, serve, trustAll, until } from "./serve.ts";

const workflow = `
steps:
  - { id: plan, type: action, instructions: Plan it, outcomes: { good: next, bad: plan } }
  - { id: ship, type: action, instructions: Ship it }
`;

/** A server of its own process, for what is about its streams and its end. */
async function beginProcess(): Promise<{ project: Project; server: ServerProcess }> {
  const project = createProject();
  addWorkflow(project, "work", workflow);
  const server = await serve(project, { env: { HOLDFAST_SESSION: "agent-1" } });
  await server.ok("workflow_start", { workflow: "work" });
  return { project, server };
}

test("half a line and then the end of the input ends the server in peace", async () => {
  const { project, server } = await beginProcess();
  const before = project.journal();
  server.write('{"jsonrpc":"2.0","id":"h","method":"tools/call","params":{"name":"workflow_adv');
  expect((await server.close()).code).toBe(0);
  expect(project.journal()).toBe(before);
});

test("what has been answered reaches a client that has ended its side and reads late", async () => {
  const { project, server } = await beginProcess();
  server.child.stdout.pause();
  const many = Array.from({ length: 60 }, () => server.request("tools/list"));
  server.begin("tools/call", { name: "workflow_advance", arguments: { output: "x", outcome: "bad" } });
  await until("all have been answered", () => project.journal().includes('"visit-ended"'));
  server.child.stdin.end();
  server.child.stdout.resume();
  const answers = await Promise.all(many);
  expect(answers.map(({ result }) => result.tools.length)).toEqual(many.map(() => 12));
});

test("what a client was answered last is recorded, although it leaves with the answer", async () => {
  const { project, server } = await beginProcess();
  const advance = { name: "workflow_advance", arguments: { output: "x", outcome: "good" } };
  const { answer } = server.begin("tools/call", advance);
  await server.close();
  const [{ text }] = (await answer).result.content;
  const { value } = await project.json(["log"]);
  const { value: shown } = await project.json(["handoff", "--at", String(value.events.length)]);
  expect(shown.text).toBe(text);
});

test("a server whose project is removed does not make it anew", async () => {
  const { project, server } = await beginProcess();
  // The server may still be recording what it has answered.
  rmSync(project.root, { recursive: true, maxRetries: 10 });
  expect(await server.no("workflow_start", { workflow: "feature" })).toMatchObject({ code: "file-unwritable" });
  expect(existsSync(project.root)).toBe(false);
});

test("a line of 11 MB while a gate runs does not disturb it", async () => {
  const { server, pid } = await beginGate();
  server.write(`${"x".repeat(11_000_000)}\n`);
  await until("the line is answered", () => server.strays.length > 0);
  expect(isAlive(pid)).toBe(true);
  expect(await server.no("workflow_advance", { output: "y" })).toMatchObject({ code: "gate-running" });
});

test("a client that reads no more ends the server, and the gate with it", async () => {
  const { server, pid } = await beginGate();
  server.child.stdout.destroy();
  server.begin("tools/list");
  await until("the server is gone", () => server.child.exitCode !== null);
  await until("the gate is gone", () => !isAlive(pid));
});

test("when the client dies while a gate runs, the server and the gate end with it", async () => {
  const { project, server, pid } = await beginGate();
  const before = project.journal();
  server.child.stdout.destroy();
  server.child.stderr.destroy();
  server.child.stdin.destroy();
  await until("the server is gone", () => server.child.exitCode !== null);
  await until("the gate is gone", () => !isAlive(pid));
  expect(project.journal()).toBe(before);
});

async function beginGate(): Promise<{ project: Project; server: ServerProcess; pid: number }> {
  const project = createProject();
  trustAll(project);
  addWorkflow(
    project,
    "gated",
    "steps: [{ id: a, type: action, instructions: A, gate: [{ run: 'echo $$ > began; sleep 600' }] }]",
  );
  const server = await serve(project);
  await server.ok("workflow_start", { workflow: "gated" });
  server.begin("tools/call", { name: "workflow_advance", arguments: { output: "x" } });
  const [pid] = await until("the gate began", () => {
    const began = lines(join(project.root, "began"));
    return began.length > 0 ? began : null;
  });
  return { project, server, pid: Number(pid) };
}
