import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { addWorkflow, giveSecret, serveHere } from "./serve.ts";

const env = { HOLDFAST_SESSION: "agent-1" };
const steps = "steps: [{ id: work, type: ralph, n: 5, instructions: Improve it }]";

/** A session that has started two runs, the second one last. */
async function startTwo() {
  const project = createProject();
  addWorkflow(project, "first", steps);
  addWorkflow(project, "second", steps);
  const server = await serveHere(project, { env });
  const { runId: first } = await server.ok("workflow_start", { workflow: "first" });
  const { runId: second } = await server.ok("workflow_start", { workflow: "second" });
  const meant = async () => (await server.ok("workflow_context")).runId;
  return { project, server, first, second, meant };
}

test("a call that names no run means the run that its session used last, wherever it did so", async () => {
  const { project, server, first, second, meant } = await startTwo();
  expect(await meant()).toBe(second);
  expect((await project.json(["advance", "--run", first, "--output", "1"], { env })).code).toBe(0);
  expect(await meant()).toBe(first);
  const other = await serveHere(project, { env });
  await other.ok("workflow_advance", { run_id: second, output: "1" });
  expect(await meant()).toBe(second);
  await server.ok("workflow_advance", { run_id: first, output: "1" });
  expect((await other.ok("workflow_context")).runId).toBe(first);
});

test("what another session does with another run changes nothing for this one", async () => {
  const { project, first, second, meant } = await startTwo();
  const next = ["next", "--run", first, "--session", "agent-2"];
  expect((await project.json(next)).code).toBe(0);
  expect(await meant()).toBe(second);
});

test("when the run that the session used last has ended, a call means its other one", async () => {
  const { project, first, second, meant } = await startTwo();
  const abort = ["abort", "--run", second, "--reason", "enough", ...giveSecret(project)];
  expect((await project.json(abort)).code).toBe(0);
  expect(await meant()).toBe(first);
});

/** Replaces what is remembered of every session. */
function remember(project: Project, text: string | null): void {
  const folder = join(project.root, ".holdfast/sessions");
  const files = readdirSync(folder).filter((name) => name.startsWith("run-"));
  expect(files).toHaveLength(1);
  for (const name of files) text === null ? rmSync(join(folder, name)) : writeFileSync(join(folder, name), text);
}

test.each([
  ["is gone", null],
  ["is empty", ""],
  ["is no run", "../../etc/passwd"],
  ["is a run that was never here", "gone-20260131_120000-ab12"],
])("what is remembered of a session is only a hint: when it %s, the journals tell", async (_name, text) => {
  const { project, second, meant } = await startTwo();
  remember(project, text);
  expect(await meant()).toBe(second);
});

test("a remembered run that the session has no part in is not taken", async () => {
  const { project, second, meant } = await startTwo();
  addWorkflow(project, "third", steps);
  const { value } = await project.json(["start", "third"]);
  remember(project, value.runId);
  expect(await meant()).toBe(second);
});
