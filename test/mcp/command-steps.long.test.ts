import { expect, test } from "vitest";
import { coverLines, coverOf } from "../../src/model/trust/cover.ts";
import { createProject, type Project } from "../cli/program.ts";
import { template } from "../engine/drive.ts";
import { runHook } from "../hooks/hook-program.ts";
import { addWorkflow, eventTypes, giveSecret, type Server, serve, serveHere, until } from "./serve.ts";
import { agent, began, decide, hasBegun, impatientProject, isGone, recorded, waitForVerdict } from "./slow-gate.ts";

const steps = (rest = "", run = waitForVerdict) => `
steps:
  - { id: plan, type: action, instructions: Plan }
  - id: check
    type: command
    run: '${run}'${rest}
  - { id: ship, type: action, instructions: "Ship after {outputs.check}" }
`;

function projectOf(workflow: string, patienceSeconds = 0.3): Project {
  const project = impatientProject(patienceSeconds);
  addWorkflow(project, "flow", workflow);
  return project;
}

/** A run whose plan is made, over a server that may be killed. */
async function begin(server: Server) {
  const { runId } = await server.ok("workflow_start", { workflow: "flow" });
  const advanced = await server.call("workflow_advance", { output: "planned", token: "plan#1" });
  return { runId, advanced: advanced.structuredContent };
}

test("a command runs within the call that leads to it, and the reply is what follows", async () => {
  const project = projectOf(steps("", "echo checked"), 30);
  const { advanced } = await begin(await serveHere(project, { env: agent }));
  expect(advanced).toMatchObject({ step: "ship", token: "ship#1" });
  expect(advanced.instructions).toContain("Ship after checked");
});

test("a workflow of commands alone is carried out by its start", async () => {
  const project = projectOf(
    "steps: [{ id: a, type: command, run: echo a }, { id: b, type: command, run: echo b }]",
    30,
  );
  const server = await serveHere(project, { env: agent });
  expect(await server.ok("workflow_start", { workflow: "flow" })).toMatchObject({ status: "complete" });
  expect(eventTypes(project).filter((type) => type === "command-started")).toHaveLength(2);
});

test("a command that outlasts the host's patience goes on, and the next call brings what follows", async () => {
  const project = projectOf(steps());
  const server = await serveHere(project, { env: agent });
  const { advanced } = await begin(server);
  expect(advanced.error).toEqual({
    code: "step-running",
    message: expect.stringMatching(/^the command of the step "check" is still running \(\d+ s so far\)$/),
    next: "call workflow_status again in a while to get the result",
  });
  expect(await server.no("workflow_status")).toMatchObject({ code: "step-running" });
  expect(await server.no("workflow_advance", { output: "planned", token: "plan#1" })).toMatchObject({
    code: "step-running",
  });
  expect((await project.json(["status"])).value).toMatchObject({
    stepType: "command",
    runningGate: { seconds: expect.any(Number) },
  });
  const { answer } = await runHook(project, "SessionStart", { session_id: "agent-1", source: "compact" });
  expect(answer.hookSpecificOutput.additionalContext).toMatch(/The command of this step is running \(\d+ s so far\)/);
  decide(project, 0);
  await recorded(project, "command-ended");
  expect(await server.ok("workflow_status")).toMatchObject({ step: "ship", token: "ship#1" });
  expect(began(project)).toHaveLength(1);
});

test("nothing that only looks, no hook and no decision of a person runs a command", async () => {
  const project = projectOf(steps(" \n    on_fail: abort"));
  const server = await serveHere(project, { env: agent });
  const { runId } = await server.ok("workflow_start", { workflow: "flow" });
  const person = giveSecret(project);
  await project.holdfast(["goto", "check", "--reason", "go", ...person]);
  for (const words of [["status"], ["runs"], ["log"], ["context"], ["decide"]]) await project.holdfast(words);
  await runHook(project, "SessionStart", { session_id: "agent-1", source: "compact" });
  await runHook(project, "Stop", { session_id: "agent-1" });
  await server.request("resources/read", { uri: `holdfast://runs/${runId}/handoff` });
  expect(eventTypes(project)).not.toContain("command-started");
  expect(began(project)).toHaveLength(0);
});

test("two sessions and a terminal at once run a command once", async () => {
  const project = projectOf(steps(), 20);
  const [one, two] = [
    await serve(project, { env: agent }),
    await serve(project, { env: { HOLDFAST_SESSION: "agent-2" } }),
  ];
  await one.ok("workflow_start", { workflow: "flow" });
  await project.holdfast(["goto", "check", "--reason", "go", ...giveSecret(project)]);
  const calls = [one.call("workflow_status", {}), two.call("workflow_status", {}), project.json(["next"])];
  await hasBegun(project);
  decide(project, 0);
  await Promise.all(calls);
  expect(began(project)).toHaveLength(1);
  expect(eventTypes(project).filter((type) => type === "command-started")).toHaveLength(1);
});

test("a call that is cancelled stops the command with all its processes, and it is not run again by itself", async () => {
  const project = projectOf(steps("", "sleep 300 & echo $! >> began; echo $$ >> began; wait"), 60);
  const server = await serveHere(project, { env: agent });
  await server.ok("workflow_start", { workflow: "flow" });
  const { id } = server.begin("tools/call", { name: "workflow_advance", arguments: { output: "planned" } });
  const pids = await hasBegun(project, 2);
  server.notify("notifications/cancelled", { requestId: id, reason: "enough" });
  for (const pid of pids) await isGone(pid);
  await recorded(project, "decision-requested");
  expect(await server.ok("workflow_status")).toMatchObject({ status: "waiting", decision: { why: "interrupted" } });
  expect(began(project)).toHaveLength(2);
});

test("a command whose server was killed dies with it, and waits for a decision; a person's retry lets the next call run it", async () => {
  const project = projectOf(steps());
  const server = await serve(project, { env: agent });
  await begin(server);
  const [pid] = await hasBegun(project);
  server.child.kill("SIGKILL");
  await isGone(pid);
  const next = await serveHere(project, { env: agent });
  const waiting = await next.ok("workflow_status");
  expect(waiting).toMatchObject({
    status: "waiting",
    decision: { why: "interrupted", reason: "its process ended without a result" },
  });
  expect(waiting.instructions).toContain("The command of this step was interrupted.");
  await next.ok("workflow_status");
  expect(began(project)).toHaveLength(1);
  decide(project, 0);
  expect(await project.json(["decide", "retry", ...giveSecret(project)])).toMatchObject({ code: 0 });
  expect(began(project)).toHaveLength(1);
  expect(
    await until("the command ended", async () => {
      const { isError, structuredContent } = await next.call("workflow_status", {});
      return isError === true ? null : structuredContent;
    }),
  ).toMatchObject({ step: "ship" });
  expect(began(project)).toHaveLength(2);
});

test("a repeatable command whose server was killed is run again by the next call", async () => {
  const project = projectOf(steps("\n    repeatable: true"));
  const server = await serve(project, { env: agent });
  await begin(server);
  const [pid] = await hasBegun(project);
  server.child.kill("SIGKILL");
  await isGone(pid);
  const next = await serveHere(project, { env: agent });
  expect(await next.no("workflow_status")).toMatchObject({ code: "step-running" });
  await hasBegun(project, 2);
  decide(project, 0);
  await recorded(project, "command-ended");
  expect(await next.ok("workflow_status")).toMatchObject({ step: "ship" });
});

test("a command that hangs is ended by its timeout and takes on_fail; one that prints 100 MB keeps the tail", async () => {
  const hangs = projectOf(steps("\n    timeout: 300ms\n    on_fail: skip", "sleep 300"), 30);
  expect((await begin(await serveHere(hangs, { env: agent }))).advanced).toMatchObject({ step: "ship" });
  const flood = 'head -c 104857600 /dev/zero | tr "\\\\0" "x"; echo; echo the end';
  const prints = projectOf(steps("", flood), 60);
  const { advanced } = await begin(await serveHere(prints, { env: agent }));
  expect(advanced).toMatchObject({ step: "ship" });
  expect(advanced.instructions).toContain("the end");
  expect(advanced.instructions.length).toBeLessThan(10_000);
});

test("an aborted run stops its command at once", async () => {
  const project = projectOf(steps(), 60);
  const server = await serveHere(project, { env: agent });
  await server.ok("workflow_start", { workflow: "flow" });
  const { answer } = server.begin("tools/call", { name: "workflow_advance", arguments: { output: "planned" } });
  const [pid] = await hasBegun(project);
  await project.holdfast(["abort", "--yes"]);
  await isGone(pid);
  expect((await answer).result.structuredContent).toMatchObject({ status: "aborted" });
});

test("a workflow with a command does not start before a person has trusted it", async () => {
  const project = createProject();
  addWorkflow(project, "flow", steps("", "touch ran"));
  const server = await serveHere(project, { env: agent });
  expect(await server.no("workflow_start", { workflow: "flow" })).toMatchObject({
    code: "template-untrusted",
    message: expect.stringContaining("touch ran"),
  });
});

test("a command that may now be repeated has to be trusted again", () => {
  const law = (rest: string) => template(`steps: [{ id: a, type: command, run: make, timeout: 5m${rest} }]`);
  expect(coverLines(coverOf(law(""), {}))).toEqual(["step a, at most 5m: make"]);
  expect(coverLines(coverOf(law(", repeatable: true"), {}))).toEqual(["step a, at most 5m, repeatable: make"]);
  expect(coverOf(law(", repeatable: true"), {})).not.toEqual(coverOf(law(""), {}));
});

/** A loop whose tasks are printed once the file says 0. */
const sourced = (rest = "") => `
loops: { build: [{ id: code, instructions: "Do {task.title}" }] }
steps:
  - { id: plan, type: action, instructions: Plan }
  - id: build
    type: loop
    tasks:
      run: 'echo $$ >> began; while [ ! -s verdict ]; do sleep 0.1; done; echo "- [x] One"; echo "- [ ] Two"'${rest}
`;

test("a long command that lists the tasks of a loop goes on, and the next call brings the first task", async () => {
  const project = projectOf(sourced());
  const server = await serveHere(project, { env: agent });
  const { advanced } = await begin(server);
  expect(advanced.error).toMatchObject({ code: "step-running" });
  expect(await server.no("workflow_set_tasks", { loop_id: "build", tasks: [{ id: "a", title: "A" }] })).toMatchObject({
    code: "step-running",
  });
  decide(project, 0);
  await recorded(project, "tasks-set");
  expect(await server.ok("workflow_status")).toMatchObject({ task: { id: "t2", title: "Two", total: 1 } });
  expect(began(project)).toHaveLength(1);
});

test("a server that is killed while the tasks are listed lists them again only if it may", async () => {
  for (const mayRepeat of [false, true]) {
    const project = projectOf(sourced(mayRepeat ? "\n      repeatable: true" : ""), 20);
    const first = await serve(project, { env: agent });
    await first.ok("workflow_start", { workflow: "flow" });
    first.begin("tools/call", { name: "workflow_advance", arguments: { output: "planned" } });
    const [pid] = await hasBegun(project);
    first.child.kill("SIGKILL");
    await isGone(pid);
    decide(project, 0);
    const second = await serve(project, { env: agent });
    const reply = await second.ok("workflow_status");
    if (mayRepeat) expect(reply).toMatchObject({ task: { title: "Two" } });
    else expect(reply).toMatchObject({ status: "waiting", decision: { why: "interrupted" } });
    expect(began(project)).toHaveLength(mayRepeat ? 2 : 1);
  }
});
