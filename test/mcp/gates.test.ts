import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compactMessage, createProject, type Project } from "../cli/program.ts";
import { runHook } from "../hooks/hook-program.ts";
import { cardOf } from "../hooks/run-project.ts";
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

const agent = { HOLDFAST_SESSION: "agent-1" };

/** A project whose gates are trusted, and whose calls wait so long for them. */
function impatientProject(patienceSeconds = 0.3): Project {
  const project = createProject();
  trustAll(project);
  project.write(".holdfast/config.yaml", `patience_seconds: ${patienceSeconds}\n`);
  return project;
}

/** The gate notes its process, then waits for a file, and ends with what the file says. */
const slow = `
steps:
  - id: build
    type: action
    instructions: Build it
    gate: [{ run: 'echo $$ >> began; while [ ! -s verdict ]; do sleep 0.1; done; cat verdict; exit "$(cat verdict)"' }]
  - { id: ship, type: action, instructions: Ship it, context: compact }
  - { id: rest, type: action, instructions: Rest }
`;

async function start(patienceSeconds?: number) {
  const project = impatientProject(patienceSeconds);
  addWorkflow(project, "slow", slow);
  return begin(project, await serveHere(project, { env: agent }));
}

/** The same with a server that can be killed, and whose end can be seen. */
async function startProcess() {
  const project = impatientProject();
  addWorkflow(project, "slow", slow);
  return begin(project, await serve(project, { env: agent }));
}

async function begin<S extends Server>(project: Project, server: S) {
  const { token, runId } = await server.ok("workflow_start", { workflow: "slow" });
  return { project, server, token, runId };
}

const began = (project: Project) => lines(join(project.root, "began"));
const hasBegun = (project: Project, times = 1) =>
  until("the gate began", () => (began(project).length >= times ? began(project) : null));
const decide = (project: Project, exitCode: number) => writeFileSync(join(project.root, "verdict"), `${exitCode}\n`);

const recorded = (project: Project, type: string, times = 1) =>
  until(`${type} is recorded`, () => eventTypes(project).filter((each) => each === type).length >= times);

const isGone = (pid: string | undefined) => until("the gate's process is gone", () => !isAlive(Number(pid)));

async function advanceInVain(server: Server, token: string): Promise<void> {
  expect(await server.no("workflow_advance", { output: "built", token })).toEqual({
    code: "gate-running",
    message: expect.stringMatching(/^the gate is still running \(\d+ s so far\)$/),
    next: "call workflow_status or workflow_advance again in a while to get the result",
  });
}

/** The same advance again and again, as an agent sends it, until its gate has been checked; then its answer. */
const advanceAtLast = (server: Server, token: string) =>
  until("the gate was checked", async () => {
    const { isError, structuredContent } = await server.call("workflow_advance", { output: "built", token });
    if (isError !== true) return structuredContent;
    expect(structuredContent.error.code).toBe("gate-running");
    return null;
  });

test("a gate that outlasts the host's patience goes on, and the same advance brings the next visit", async () => {
  const { project, server, token } = await start();
  await advanceInVain(server, token);
  await advanceInVain(server, token);
  decide(project, 0);
  await recorded(project, "visit-ended");
  expect(await server.ok("workflow_advance", { output: "built", token })).toEqual({
    contextAction: "/compact",
    message: compactMessage,
    runId: expect.any(String),
    token: "ship#1",
  });
  expect(await server.ok("workflow_status")).toMatchObject({ step: "ship", token: "ship#1" });
  expect(await server.ok("workflow_advance", { output: "built", token })).toMatchObject({ replayed: true });
  expect(began(project)).toHaveLength(1);
});

test("a running gate is shown to everyone who looks, with its command and its time, and to nobody once it has ended", async () => {
  const { project, server, token, runId } = await start();
  await advanceInVain(server, token);
  const gate = { commands: [expect.stringMatching(/^echo .* cat verdict/)], seconds: expect.any(Number) };
  expect(await server.ok("workflow_status")).toMatchObject({ token, runningGate: gate });
  expect((await project.json(["status"])).value).toMatchObject({ runningGate: gate });
  expect((await project.json(["next"], { env: agent })).value).toMatchObject({ runningGate: gate });
  expect((await project.holdfast(["next"], { env: agent })).stdout).toMatch(
    /A gate is running \(\d+ s so far\): echo .*\. Change nothing, and run `holdfast next` again in a while\./,
  );
  const { stdout: seen } = await project.holdfast(["status"]);
  expect(seen).toMatch(/ running for \d+ s: echo /);
  expect(seen).toContain("Next: the gate ends, and the agent gets its result.");
  const compacted = { session_id: agent.HOLDFAST_SESSION, source: "compact" };
  const { answer } = await runHook(project, "SessionStart", compacted);
  expect(answer.hookSpecificOutput.additionalContext).toMatch(
    /A gate is running \(\d+ s so far\): change nothing; call workflow_advance again in a while .* It runs: echo/,
  );
  expect(answer.hookSpecificOutput.additionalContext).toContain("wait as stated above");
  expect(cardOf(project).value.running_gate).toEqual({ commands: gate.commands, since: expect.any(String) });

  decide(project, 1);
  await recorded(project, "gates-checked");
  expect(await server.ok("workflow_status", { run_id: runId })).not.toHaveProperty("runningGate");
  expect(cardOf(project).value).not.toHaveProperty("running_gate");
  expect(eventTypes(project)).not.toContain("card-edited");
});

test("the context action of a visit that was reached while nobody waited comes with the next status, once", async () => {
  const { project, server, token } = await start();
  await advanceInVain(server, token);
  decide(project, 0);
  await recorded(project, "visit-ended");
  expect(await server.ok("workflow_status")).toMatchObject({ contextAction: "/compact", token: "ship#1" });
  expect(await server.ok("workflow_status")).toMatchObject({
    step: "ship",
    instructions: expect.stringMatching(/^Ship/),
  });
  expect(eventTypes(project).filter((type) => type === "context-action-handed-out")).toHaveLength(1);
});

test("it comes also from the next server, when the first has died meanwhile", async () => {
  const { project, server, token } = await startProcess();
  await advanceInVain(server, token);
  decide(project, 0);
  await recorded(project, "visit-ended");
  server.child.kill("SIGKILL");
  const other = await serveHere(project, { env: agent });
  expect(await other.ok("workflow_status")).toMatchObject({ contextAction: "/compact", token: "ship#1" });
});

test("an advance that comes again without a token means the visit whose gate was running, not the one after it", async () => {
  const { project, server } = await start();
  expect(await server.no("workflow_advance", { output: "built" })).toMatchObject({ code: "gate-running" });
  decide(project, 0);
  await recorded(project, "visit-ended");
  expect(await server.ok("workflow_advance", { output: "built" })).toMatchObject({ token: "ship#1" });
  expect(eventTypes(project).filter((type) => type === "visit-ended")).toHaveLength(1);
});

const last =
  "steps: [{ id: a, type: action, instructions: A, gate: [{ run: 'while [ ! -e go ]; do sleep 0.1; done' }] }]";

test.each([
  ["status", (server: Server) => server.ok("workflow_status")],
  ["same advance", (server: Server) => server.ok("workflow_advance", { output: "x" })],
])(
  "when the last gate of a run holds while nobody waits, the next %s says that the run is complete",
  async (_name, ask) => {
    const project = impatientProject();
    addWorkflow(project, "last", last);
    const server = await serveHere(project, { env: agent });
    const { runId } = await server.ok("workflow_start", { workflow: "last" });
    expect(await server.no("workflow_advance", { output: "x" })).toMatchObject({ code: "gate-running" });
    project.write("go", "");
    await recorded(project, "run-completed");
    expect(await ask(server)).toMatchObject({ runId, status: "complete", token: null });
  },
);

test("a gate that fails while nobody waits is told once by the same advance; the one after it checks anew", async () => {
  const { project, server, token } = await start();
  await advanceInVain(server, token);
  decide(project, 3);
  await recorded(project, "gates-checked");
  expect(await server.no("workflow_advance", { output: "built", token })).toMatchObject({
    code: "gate-failed",
    message: expect.stringMatching(/\(exit 3\)\n {2}\| 3$/),
  });
  expect(began(project)).toHaveLength(1);
  decide(project, 0);
  expect(await advanceAtLast(server, token)).toMatchObject({ token: "ship#1" });
  expect(began(project)).toHaveLength(2);
});

test("after the status has shown that the gate failed, the same advance checks it anew", async () => {
  const { project, server, token } = await start();
  await advanceInVain(server, token);
  decide(project, 3);
  await recorded(project, "gates-checked");
  expect((await server.ok("workflow_status")).instructions).toContain("The gate failed when it was last checked:");
  decide(project, 0);
  expect(await advanceAtLast(server, token)).toMatchObject({ token: "ship#1" });
  expect(began(project)).toHaveLength(2);
});

test("while a gate runs, no advance with another payload starts it a second time, from wherever it comes", async () => {
  const { project, server, token } = await startProcess();
  await advanceInVain(server, token);
  const other = await serve(project, { env: { HOLDFAST_SESSION: "agent-2" } });
  expect(await server.no("workflow_advance", { output: "other", token })).toMatchObject({ code: "gate-running" });
  expect(await server.no("workflow_advance", { output: "other" })).toMatchObject({ code: "gate-running" });
  expect(await other.no("workflow_advance", { output: "built", token })).toMatchObject({ code: "gate-running" });
  const cli = await project.json(["advance", "--output", "built"]);
  expect(cli).toMatchObject({ code: 1, value: { error: { code: "gate-running" } } });
  expect(await other.ok("workflow_status")).toMatchObject({ step: "build", token });
  decide(project, 0);
  await recorded(project, "visit-ended");
  expect(began(project)).toHaveLength(1);
});

test("a call that is cancelled stops the gate with all its processes, and the next advance checks it again", async () => {
  const { project, server, token } = await start(60);
  const { id } = server.begin("tools/call", { name: "workflow_advance", arguments: { output: "built", token } });
  const [pid] = await hasBegun(project);
  server.notify("notifications/cancelled", { requestId: id, reason: "enough" });
  await isGone(pid);
  await recorded(project, "gates-checked");
  expect((await server.ok("workflow_status")).instructions).toContain("[cancelled]");
  decide(project, 0);
  expect(await server.ok("workflow_advance", { output: "built", token })).toMatchObject({ token: "ship#1" });
});

test("that the settings are broken is said in the server's log", async () => {
  const { project, server, token } = await startProcess();
  project.write(".holdfast/config.yaml", "patience_seconds: soon\n");
  decide(project, 0);
  await server.ok("workflow_advance", { output: "built", token });
  expect((await server.close()).stderr).toContain(".holdfast/config.yaml: ");
});

const plain = "steps: [{ id: one, type: action, instructions: One }, { id: two, type: action, instructions: Two }]";

/** A run whose gate is being checked for an advance with these words; then another run is started. */
async function startAnother(output: string) {
  const { project, server, token, runId: first } = await start();
  expect(await server.no("workflow_advance", { output, token })).toMatchObject({ code: "gate-running" });
  addWorkflow(project, "plain", plain);
  const { runId } = await server.ok("workflow_start", { workflow: "plain" });
  return { project, server, first, runId };
}

test("a gate that ends while nobody waits does not take the session away from the run that it has gone to", async () => {
  const { project, server, first, runId } = await startAnother("built");
  decide(project, 0);
  const outputs = async () => (await server.ok("workflow_context", { run_id: first })).outputs;
  await until("the first run has moved", async () => (await outputs()).build === "built");
  expect(await server.ok("workflow_advance", { output: "did one" })).toMatchObject({ runId, step: "two" });
});

test("an advance of the run that the session has gone to is not taken for the one whose gate is still checked", async () => {
  const { project, server, runId } = await startAnother("done");
  expect(await server.ok("workflow_advance", { output: "done" })).toMatchObject({ runId, step: "two" });
  decide(project, 0);
});

test("cancelling the second call for a gate stops it too", async () => {
  const { project, server, token } = await start(0.3);
  await advanceInVain(server, token);
  project.write(".holdfast/config.yaml", "patience_seconds: 60\n");
  const { id } = server.begin("tools/call", { name: "workflow_advance", arguments: { output: "built", token } });
  await server.ok("workflow_context");
  const [pid] = await hasBegun(project);
  server.notify("notifications/cancelled", { requestId: id });
  await isGone(pid);
});

test("of two that wait for a gate, one may cancel, and the other gets what comes of it", async () => {
  const { project, server, token } = await start(60);
  const call = { name: "workflow_advance", arguments: { output: "built", token } };
  const first = server.begin("tools/call", call);
  const second = server.begin("tools/call", call);
  await hasBegun(project);
  server.notify("notifications/cancelled", { requestId: first.id });
  await server.request("ping");
  decide(project, 0);
  expect((await second.answer).result.structuredContent).toMatchObject({ token: "ship#1" });
  expect(began(project)).toHaveLength(1);
});

test("whoever cancels and calls again at once has the gate checked anew", async () => {
  const { project, server, token } = await start(60);
  const call = { name: "workflow_advance", arguments: { output: "built", token } };
  const first = server.begin("tools/call", call);
  const [pid] = await hasBegun(project);
  server.notify("notifications/cancelled", { requestId: first.id });
  const again = server.begin("tools/call", call);
  await hasBegun(project, 2);
  await isGone(pid);
  decide(project, 0);
  expect((await again.answer).result.structuredContent).toMatchObject({ token: "ship#1" });
});

test("that the work failed is recorded while its gate is checked, and ends the gate", async () => {
  const { project, server, token } = await start();
  await advanceInVain(server, token);
  const [pid] = await hasBegun(project);
  expect(await server.ok("workflow_advance", { output: "no", failed: true, token })).toMatchObject({
    status: "waiting",
  });
  await server.ok("workflow_status");
  await isGone(pid);
});

test("a run that a person aborts while its gate is checked is over for an advance, and for the gate", async () => {
  const { project, server, token } = await start();
  await advanceInVain(server, token);
  const [pid] = await hasBegun(project);
  expect((await project.json(["abort", "--reason", "enough", ...giveSecret(project)])).code).toBe(0);
  expect(await server.no("workflow_advance", { output: "built", token })).toMatchObject({ code: "run-ended" });
  await isGone(pid);
});

/** What ends a visit from outside, and what the advance that waits for its gate is answered then. */
const endings: [string, string, (project: Project, runId: string) => Promise<unknown>][] = [
  ["a person aborts the run", "run-ended", (project) => asPerson(project, "abort", "--reason", "enough")],
  ["a person resets the run", "run-ended", (project) => asPerson(project, "reset")],
  ["a person moves the run on", "step-stale", (project) => asPerson(project, "goto", "ship", "--reason", "late")],
  [
    "another process reports a failure",
    "step-stale",
    (project) => project.json(["fail", "--reason", "no", "--token", "build#1"]),
  ],
  ["the run is removed", "run-unknown", async (project) => rmSync(project.runFolder(), { recursive: true })],
];

async function asPerson(project: Project, ...words: readonly string[]): Promise<void> {
  expect(await project.json([...words, ...giveSecret(project)])).toMatchObject({ code: 0 });
}

describe("a gate ends at once, with all its processes,", () => {
  test.each(endings)("when %s, and the advance that waits is told %s", async (_name, code, end) => {
    const { project, server, token, runId } = await start(60);
    const call = server.begin("tools/call", { name: "workflow_advance", arguments: { output: "built", token } });
    const [pid] = await hasBegun(project);
    await end(project, runId);
    expect((await call.answer).result.structuredContent).toMatchObject({ error: { code } });
    expect(isAlive(Number(pid))).toBe(false);
    expect(began(project)).toHaveLength(1);
  });

  test("when a person aborts the run while nobody waits for the gate", async () => {
    const { project, server, token } = await start();
    await advanceInVain(server, token);
    const [pid] = await hasBegun(project);
    await asPerson(project, "abort", "--reason", "enough");
    await isGone(pid);
  });

  test("when a person aborts the run while the command line waits for the gate", async () => {
    const { project, token } = await start();
    const waiting = project.json(["advance", "--output", "built", "--token", token]);
    const [pid] = await hasBegun(project);
    await asPerson(project, "abort", "--reason", "enough");
    expect(await waiting).toMatchObject({ code: 1, value: { error: { code: "run-ended" } } });
    expect(isAlive(Number(pid))).toBe(false);
  });
});

test("a server whose run was removed during a gate goes on with the next run", async () => {
  const { project, server, token } = await start();
  await advanceInVain(server, token);
  const [pid] = await hasBegun(project);
  rmSync(project.runFolder(), { recursive: true });
  await isGone(pid);
  expect(await server.no("workflow_status")).toMatchObject({ code: "run-unknown" });
  expect(await server.ok("workflow_start", { workflow: "slow" })).toMatchObject({ step: "build" });
  expect(await server.ok("workflow_status")).toMatchObject({ step: "build" });
});

test.each(["2025-11-25", "2026-07-28"] as const)(
  "who sent a progress token in %s is told that a gate runs",
  async (era) => {
    const project = createProject();
    trustAll(project);
    addWorkflow(
      project,
      "quick",
      "steps: [{ id: a, type: action, instructions: A, gate: [{ run: exit 0 }, { run: 'true' }] }]",
    );
    const server = await serveHere(project, { era });
    await server.ok("workflow_start", { workflow: "quick" });
    const arguments_ = { name: "workflow_advance", arguments: { output: "x" }, _meta: { progressToken: "p-1" } };
    const { result } = await server.request("tools/call", arguments_);
    expect(result.structuredContent).toMatchObject({ status: "complete" });
    expect(
      server.notifications.map(({ method, params }: Json) => [
        method,
        params.progressToken,
        params.progress,
        params.message,
      ]),
    ).toEqual([
      ["notifications/progress", "p-1", 1, "gate: exit 0"],
      ["notifications/progress", "p-1", 2, "gate: true"],
    ]);
  },
);

test("nothing is told of the progress of a call that has been answered", async () => {
  const project = impatientProject(2);
  addWorkflow(
    project,
    "two",
    "steps: [{ id: a, type: action, instructions: A, gate: [{ run: 'while [ ! -e go ]; do sleep 0.1; done' }, { run: 'true' }] }]",
  );
  const server = await serveHere(project, { env: agent });
  await server.ok("workflow_start", { workflow: "two" });
  const call = { name: "workflow_advance", arguments: { output: "x" }, _meta: { progressToken: 7 } };
  expect((await server.request("tools/call", call)).result.isError).toBe(true);
  project.write("go", "");
  await recorded(project, "run-completed");
  await server.request("ping");
  expect(server.notifications).toHaveLength(1);
});

test("a server that is killed takes its gate along; the next one notes the interruption and checks again", async () => {
  const { project, server, token } = await startProcess();
  await advanceInVain(server, token);
  const [pid] = await hasBegun(project);
  server.child.kill("SIGKILL");
  await isGone(pid);
  const next = await serveHere(project, { env: agent });
  const shown = await next.ok("workflow_status");
  expect(shown).toMatchObject({ step: "build", token });
  expect(shown).not.toHaveProperty("runningGate");
  decide(project, 0);
  expect(await advanceAtLast(next, token)).toMatchObject({ token: "ship#1" });
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
  expect(began(project)).toHaveLength(2);
});

test("when its client closes the connection, the server ends and its gate with it", async () => {
  const { project, server, token } = await startProcess();
  await advanceInVain(server, token);
  const [pid] = await hasBegun(project);
  expect((await server.close()).code).toBe(0);
  await isGone(pid);
  decide(project, 0);
  const { code, value } = await project.json(["advance", "--output", "built", "--session", "agent-1"]);
  expect({ code, token: value.token }).toEqual({ code: 0, token: "ship#1" });
  expect(eventTypes(project)).toContain("gates-interrupted");
});

test("a run that is paused while its gate runs keeps what the gate showed, and any process may go on after it", async () => {
  const { project, server, token } = await start();
  await advanceInVain(server, token);
  const person = [
    "--as",
    "ada",
    "--secret-file",
    project.write("../home/.config/holdfast/secret", `${"s".repeat(32)}\n`),
  ];
  expect((await project.json(["pause", ...person])).code).toBe(0);
  decide(project, 0);
  await recorded(project, "gates-checked");
  expect(await server.no("workflow_advance", { output: "built", token })).toMatchObject({ code: "run-paused" });
  expect((await project.json(["resume", ...person])).code).toBe(0);
  const { code, value } = await project.json(["advance", "--output", "built"]);
  expect({ code, token: value.token }).toEqual({ code: 0, token: "ship#1" });
});
