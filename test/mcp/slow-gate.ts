import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import {
  addWorkflow,
  eventTypes,
  giveSecret,
  isAlive,
  type Json,
  lines,
  type Server,
  serve,
  serveHere,
  trustAll,
  until,
} from "./serve.ts";

export const agent = { HOLDFAST_SESSION: "agent-1" };

/** A project whose gates are trusted, and whose calls wait so long for them. */
export function impatientProject(patienceSeconds = 0.3): Project {
  const project = createProject();
  trustAll(project);
  project.write(".holdfast/config.yaml", `patience_seconds: ${patienceSeconds}\n`);
  return project;
}

/** A command that notes its process, then waits for a file, prints what the file says, and ends with it. */
export const waitForVerdict =
  'echo $$ >> began; while [ ! -s verdict ]; do sleep 0.1; done; cat verdict; exit "$(cat verdict)"';

const slow = `
steps:
  - id: build
    type: action
    instructions: Build it
    gate: [{ run: '${waitForVerdict}' }]
  - { id: ship, type: action, instructions: Ship it, context: compact }
  - { id: rest, type: action, instructions: Rest }
`;

export async function start(patienceSeconds?: number) {
  const project = impatientProject(patienceSeconds);
  addWorkflow(project, "slow", slow);
  return begin(project, await serveHere(project, { env: agent }));
}

/** The same with a server that can be killed, and whose end can be seen. */
export async function startProcess() {
  const project = impatientProject();
  addWorkflow(project, "slow", slow);
  return begin(project, await serve(project, { env: agent }));
}

async function begin<S extends Server>(project: Project, server: S) {
  const { token, runId } = await server.ok("workflow_start", { workflow: "slow" });
  return { project, server, token, runId };
}

export const began = (project: Project) => lines(join(project.root, "began"));
export const hasBegun = (project: Project, times = 1) =>
  until("the command began", () => (began(project).length >= times ? began(project) : null));
export const decide = (project: Project, exitCode: number) =>
  writeFileSync(join(project.root, "verdict"), `${exitCode}\n`);

export const recorded = (project: Project, type: string, times = 1) =>
  until(`${type} is recorded`, () => eventTypes(project).filter((each) => each === type).length >= times);

export const isGone = (pid: string | undefined) => until("the process is gone", () => !isAlive(Number(pid)));

export async function advanceInVain(server: Server, token: string): Promise<void> {
  expect(await server.no("workflow_advance", { output: "built", token })).toEqual({
    code: "gate-running",
    message: expect.stringMatching(/^the gate is still running \(\d+ s so far\)$/),
    next: "call workflow_status or workflow_advance again in a while to get the result",
  });
}

/** The same advance again and again, as an agent sends it, until its gate has been checked; then its answer. */
export const advanceAtLast = (server: Server, token: string) =>
  until("the gate was checked", async () => {
    const { isError, structuredContent } = await server.call("workflow_advance", { output: "built", token });
    if (isError !== true) return structuredContent;
    expect(structuredContent.error.code).toBe("gate-running");
    return null;
  });

export async function asPerson(project: Project, ...words: readonly string[]): Promise<void> {
  expect(await project.json([...words, ...giveSecret(project)])).toMatchObject({ code: 0 });
}

const last =
  "steps: [{ id: a, type: action, instructions: A, gate: [{ run: 'while [ ! -e go ]; do sleep 0.1; done' }] }]";

/** The last gate of a run holds while nobody waits; then what is asked says that the run is complete. */
export async function expectComplete(ask: (server: Server) => Promise<Json>): Promise<void> {
  const project = impatientProject();
  addWorkflow(project, "last", last);
  const server = await serveHere(project, { env: agent });
  const { runId } = await server.ok("workflow_start", { workflow: "last" });
  expect(await server.no("workflow_advance", { output: "x" })).toMatchObject({ code: "gate-running" });
  project.write("go", "");
  await recorded(project, "run-completed");
  expect(await ask(server)).toMatchObject({ runId, status: "complete", token: null });
}
