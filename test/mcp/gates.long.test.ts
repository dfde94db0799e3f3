import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Project } from "../cli/program.ts";
import { addWorkflow, eventTypes, isAlive, serve, serveHere } from "./serve.ts";
import * as slow from "./slow-gate.ts";

test("it comes also from the next server, when the first has died meanwhile", async () => {
  const { project, server, token } = await slow.startProcess();
  await slow.advanceInVain(server, token);
  slow.decide(project, 0);
  await slow.recorded(project, "visit-ended");
  server.child.kill("SIGKILL");
  const other = await serveHere(project, { env: slow.agent });
  expect(await other.ok("workflow_status")).toMatchObject({ contextAction: "/compact", token: "ship#1" });
});

test("while a gate runs, no advance with another payload starts it a second time, from wherever it comes", async () => {
  const { project, server, token } = await slow.startProcess();
  await slow.advanceInVain(server, token);
  const other = await serve(project, { env: { HOLDFAST_SESSION: "agent-2" } });
  expect(await server.no("workflow_advance", { output: "other", token })).toMatchObject({ code: "gate-running" });
  expect(await server.no("workflow_advance", { output: "other" })).toMatchObject({ code: "gate-running" });
  expect(await other.no("workflow_advance", { output: "built", token })).toMatchObject({ code: "gate-running" });
  const cli = await project.json(["advance", "--output", "built"]);
  expect(cli).toMatchObject({ code: 1, value: { error: { code: "gate-running" } } });
  expect(await other.ok("workflow_status")).toMatchObject({ step: "build", token });
  slow.decide(project, 0);
  await slow.recorded(project, "visit-ended");
  expect(slow.began(project)).toHaveLength(1);
});

test("cancelling the second call for a gate stops it too", async () => {
  const { project, server, token } = await slow.start(0.3);
  await slow.advanceInVain(server, token);
  project.write(".holdfast/config.yaml", "patience_seconds: 60\n");
  const { id } = server.begin("tools/call", { name: "workflow_advance", arguments: { output: "built", token } });
  await server.ok("workflow_context");
  const [pid] = await slow.hasBegun(project);
  server.notify("notifications/cancelled", { requestId: id });
  await slow.isGone(pid);
});

test("of two that wait for a gate, one may cancel, and the other gets what comes of it", async () => {
  const { project, server, token } = await slow.start(60);
  const call = { name: "workflow_advance", arguments: { output: "built", token } };
  const first = server.begin("tools/call", call);
  const second = server.begin("tools/call", call);
  await slow.hasBegun(project);
  server.notify("notifications/cancelled", { requestId: first.id });
  await server.request("ping");
  slow.decide(project, 0);
  expect((await second.answer).result.structuredContent).toMatchObject({ token: "ship#1" });
  expect(slow.began(project)).toHaveLength(1);
});

test("whoever cancels and calls again at once has the gate checked anew", async () => {
  const { project, server, token } = await slow.start(60);
  const call = { name: "workflow_advance", arguments: { output: "built", token } };
  const first = server.begin("tools/call", call);
  const [pid] = await slow.hasBegun(project);
  server.notify("notifications/cancelled", { requestId: first.id });
  const again = server.begin("tools/call", call);
  await slow.hasBegun(project, 2);
  await slow.isGone(pid);
  slow.decide(project, 0);
  expect((await again.answer).result.structuredContent).toMatchObject({ token: "ship#1" });
});

test("a server whose run was removed during a gate goes on with the next run", async () => {
  const { project, server, token } = await slow.start();
  await slow.advanceInVain(server, token);
  const [pid] = await slow.hasBegun(project);
  rmSync(project.runFolder(), { recursive: true });
  await slow.isGone(pid);
  expect(await server.no("workflow_status")).toMatchObject({ code: "run-unknown" });
  expect(await server.ok("workflow_start", { workflow: "slow" })).toMatchObject({ step: "build" });
  expect(await server.ok("workflow_status")).toMatchObject({ step: "build" });
});

test("nothing is told of the progress of a call that has been answered", async () => {
  const project = slow.impatientProject(2);
  addWorkflow(
    project,
    "two",
    "steps: [{ id: a, type: action, instructions: A, gate: [{ run: 'while [ ! -e go ]; do sleep 0.1; done' }, { run: 'true' }] }]",
  );
  const server = await serveHere(project, { env: slow.agent });
  await server.ok("workflow_start", { workflow: "two" });
  const call = { name: "workflow_advance", arguments: { output: "x" }, _meta: { progressToken: 7 } };
  expect((await server.request("tools/call", call)).result.isError).toBe(true);
  project.write("go", "");
  await slow.recorded(project, "run-completed");
  await server.request("ping");
  expect(server.notifications).toHaveLength(1);
});

test("a server that is killed takes its gate along; the next one notes the interruption and checks again", async () => {
  const { project, server, token } = await slow.startProcess();
  await slow.advanceInVain(server, token);
  const [pid] = await slow.hasBegun(project);
  server.child.kill("SIGKILL");
  await slow.isGone(pid);
  const next = await serveHere(project, { env: slow.agent });
  const shown = await next.ok("workflow_status");
  expect(shown).toMatchObject({ step: "build", token });
  expect(shown).not.toHaveProperty("runningGate");
  slow.decide(project, 0);
  expect(await slow.advanceAtLast(next, token)).toMatchObject({ token: "ship#1" });
  // On a busy machine the gate may end between two calls; then the next visit is taken by the second.
  expect(eventTypes(project).filter((type) => type !== "visit-taken")).toEqual([
    "run-started",
    "visit-entered",
    "gates-started",
    "gates-interrupted",
    "gates-started",
    "gates-checked",
    "visit-ended",
    "step-ended",
    "visit-entered",
    "context-action-handed-out",
  ]);
  expect(slow.began(project)).toHaveLength(2);
});

test("when its client closes the connection, the server ends and its gate with it", async () => {
  const { project, server, token } = await slow.startProcess();
  await slow.advanceInVain(server, token);
  const [pid] = await slow.hasBegun(project);
  expect((await server.close()).code).toBe(0);
  await slow.isGone(pid);
  slow.decide(project, 0);
  const { code, value } = await project.json(["advance", "--output", "built", "--session", "agent-1"]);
  expect({ code, token: value.token }).toEqual({ code: 0, token: "ship#1" });
  expect(eventTypes(project)).toContain("gates-interrupted");
});

test("a run that is paused while its gate runs keeps what the gate showed, and any process may go on after it", async () => {
  const { project, server, token } = await slow.start();
  await slow.advanceInVain(server, token);
  const person = [
    "--as",
    "ada",
    "--secret-file",
    project.write("../home/.config/holdfast/secret", `${"s".repeat(32)}\n`),
  ];
  expect((await project.json(["pause", ...person])).code).toBe(0);
  slow.decide(project, 0);
  await slow.recorded(project, "gates-checked");
  expect(await server.no("workflow_advance", { output: "built", token })).toMatchObject({ code: "run-paused" });
  expect((await project.json(["resume", ...person])).code).toBe(0);
  const { code, value } = await project.json(["advance", "--output", "built"]);
  expect({ code, token: value.token }).toEqual({ code: 0, token: "ship#1" });
});

test("when the last gate of a run holds while nobody waits, the next same advance says that the run is complete", async () => {
  await slow.expectComplete((server) => server.ok("workflow_advance", { output: "x" }));
});

test("after the status has shown that the gate failed, the same advance checks it anew", async () => {
  const { project, server, token } = await slow.start();
  await slow.advanceInVain(server, token);
  slow.decide(project, 3);
  await slow.recorded(project, "gates-checked");
  expect((await server.ok("workflow_status")).instructions).toContain("The gate failed when it was last checked:");
  slow.decide(project, 0);
  expect(await slow.advanceAtLast(server, token)).toMatchObject({ token: "ship#1" });
  expect(slow.began(project)).toHaveLength(2);
});

test("that the settings are broken is said in the server's log", async () => {
  const { project, server, token } = await slow.startProcess();
  project.write(".holdfast/config.yaml", "patience_seconds: soon\n");
  slow.decide(project, 0);
  await server.ok("workflow_advance", { output: "built", token });
  expect((await server.close()).stderr).toContain(".holdfast/config.yaml: ");
});

test("a run that a person aborts while its gate is checked is over for an advance, and for the gate", async () => {
  const { project, server, token } = await slow.start();
  await slow.advanceInVain(server, token);
  const [pid] = await slow.hasBegun(project);
  await slow.asPerson(project, "abort", "--reason", "enough");
  expect(await server.no("workflow_advance", { output: "built", token })).toMatchObject({ code: "run-ended" });
  await slow.isGone(pid);
});

/** What ends a visit from outside, and what the advance that waits for its gate is answered then. */
const endings: [string, string, (project: Project, runId: string) => Promise<unknown>][] = [
  ["a person aborts the run", "run-ended", (project) => slow.asPerson(project, "abort", "--reason", "enough")],
  ["a person resets the run", "run-ended", (project) => slow.asPerson(project, "reset")],
  ["a person moves the run on", "step-stale", (project) => slow.asPerson(project, "goto", "ship", "--reason", "late")],
  [
    "another process reports a failure",
    "step-stale",
    (project) => project.json(["fail", "--reason", "no", "--token", "build#1"]),
  ],
  ["the run is removed", "run-unknown", async (project) => rmSync(project.runFolder(), { recursive: true })],
];

describe("a gate ends at once, with all its processes,", () => {
  test.each(endings)("when %s, and the advance that waits is told %s", async (_name, code, end) => {
    const { project, server, token, runId } = await slow.start(60);
    const call = server.begin("tools/call", { name: "workflow_advance", arguments: { output: "built", token } });
    const [pid] = await slow.hasBegun(project);
    await end(project, runId);
    expect((await call.answer).result.structuredContent).toMatchObject({ error: { code } });
    expect(isAlive(Number(pid))).toBe(false);
    expect(slow.began(project)).toHaveLength(1);
  });

  test("when a person aborts the run while nobody waits for the gate", async () => {
    const { project, server, token } = await slow.start();
    await slow.advanceInVain(server, token);
    const [pid] = await slow.hasBegun(project);
    await slow.asPerson(project, "abort", "--reason", "enough");
    await slow.isGone(pid);
  });

  test("when a person aborts the run while the command line waits for the gate", async () => {
    const { project, token } = await slow.start();
    const waiting = project.json(["advance", "--output", "built", "--token", token]);
    const [pid] = await slow.hasBegun(project);
    await slow.asPerson(project, "abort", "--reason", "enough");
    expect(await waiting).toMatchObject({ code: 1, value: { error: { code: "run-ended" } } });
    expect(isAlive(Number(pid))).toBe(false);
  });
});
