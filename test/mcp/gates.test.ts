import { expect, test } from "vitest";
import { compactMessage, createProject } from "../cli/program.ts";
import { runHook } from "../hooks/hook-program.ts";
import { cardOf } from "../hooks/run-project.ts";
import { addWorkflow, eventTypes, type Json, serveHere, trustAll, until } from "./serve.ts";
import {
  advanceAtLast,
  advanceInVain,
  agent,
  began,
  decide,
  expectComplete,
  hasBegun,
  isGone,
  recorded,
  start,
} from "./slow-gate.ts";

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

test("an advance that comes again without a token means the visit whose gate was running, not the one after it", async () => {
  const { project, server } = await start();
  expect(await server.no("workflow_advance", { output: "built" })).toMatchObject({ code: "gate-running" });
  decide(project, 0);
  await recorded(project, "visit-ended");
  expect(await server.ok("workflow_advance", { output: "built" })).toMatchObject({ token: "ship#1" });
  expect(eventTypes(project).filter((type) => type === "visit-ended")).toHaveLength(1);
});

test("when the last gate of a run holds while nobody waits, the next status says that the run is complete", async () => {
  await expectComplete((server) => server.ok("workflow_status"));
});

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
