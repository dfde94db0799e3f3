import { expect, it } from "vitest";
import { runHook } from "../hooks/hook-program.ts";
import { addWorkflow, giveSecret, serveHere } from "../mcp/serve.ts";
import { createProject } from "./program.ts";

const steps = `
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: build, type: action, instructions: "Build by {outputs.plan}" }
  - { id: ship, type: action, instructions: "Ship by {outputs.plan}" }
`;

/** A run whose second step has failed for good, seen by its agent over MCP. */
async function failed() {
  const project = createProject();
  addWorkflow(project, "flow", steps);
  const server = await serveHere(project, { env: { HOLDFAST_SESSION: "s1" } });
  const { runId } = await server.ok("workflow_start", { workflow: "flow" });
  await server.ok("workflow_advance", { output: "the plan" });
  const reply = await server.ok("workflow_advance", { output: "no compiler", failed: true });
  return { project, server, runId, reply, person: giveSecret(project) };
}

it("a failed run waits, and the agent is told how a person decides, with every call and after a clear", async () => {
  const { project, server, reply } = await failed();
  expect(reply).toMatchObject({ status: "waiting", step: "build", decision: { why: "failed", reason: "no compiler" } });
  expect(reply.instructions).toContain("with `holdfast decide` in a terminal: retry, skip, go_to <step> or abandon");
  expect(await server.no("workflow_advance", { output: "built" })).toEqual({
    code: "decision-needed",
    message: 'the step "build" has failed (no compiler); a person decides how to continue',
    next: "tell the person to run `holdfast decide retry` (or skip, go_to <step>, abandon) in a terminal and stop; call workflow_status once they have",
  });
  const { answer } = await runHook(project, "SessionStart", { session_id: "s1", source: "clear" });
  expect(answer.hookSpecificOutput.additionalContext).toContain(
    "The step has failed: do nothing until a person decides with holdfast decide.",
  );
  const { stdout } = await project.holdfast(["status"]);
  expect(stdout).toContain("failed: no compiler");
  expect(stdout).toContain("a person runs holdfast decide <retry|skip|go_to|abandon>.");
});

it("an agent cannot decide or reopen, over any face", async () => {
  const { project, server, runId } = await failed();
  const { result } = await server.request("tools/list", {});
  expect(JSON.stringify(result.tools)).not.toMatch(/"name":"[^"]*(decide|reopen)/);
  for (const words of [
    ["decide", "retry"],
    ["decide", "abandon"],
    ["reopen", runId],
  ]) {
    const { code, value } = await project.json(words, { env: { CLAUDECODE: "1" } });
    expect({ code, error: value.error.code }).toEqual({ code: 1, error: "person-needed" });
  }
});

it("decide alone lists what is pending, and how to decide it", async () => {
  const { project, runId, person } = await failed();
  const { value } = await project.json(["decide"]);
  expect(value.pending).toEqual([
    {
      ...{ runId, workflow: "flow", token: "build#1~2", step: "build", about: "failed", reason: "no compiler" },
      verdicts: ["retry", "skip", "go_to", "abandon"],
    },
  ]);
  expect((await project.holdfast(["decide"])).stdout).toMatch(
    /^build#1~2 {2}flow-\S+\n {2}failed: no compiler\n {2}Next: holdfast decide <retry\|skip\|go_to STEP\|abandon>/,
  );
  await project.holdfast(["decide", "retry", ...person]);
  expect((await project.holdfast(["decide"])).stdout).toBe("No run waits for a decision.\n");
});

it("a decision of the other kind is refused with those that fit, and go_to needs a step", async () => {
  const { project, person } = await failed();
  const ask = async (...words: string[]) => (await project.json(["decide", ...words, ...person])).value.error;
  expect(await ask("continue")).toEqual({
    code: "verdict-unfit",
    message: '"continue" does not fit build#1~2',
    next: "decide retry, skip, go_to or abandon: holdfast decide <decision>",
  });
  expect(await ask("go_to")).toMatchObject({ code: "step-unknown", message: "no step was named" });
  expect(await ask("go_to", "nowhere")).toMatchObject({ code: "step-unknown", next: "use one of plan, build, ship" });
  expect(await ask("retry", "plan")).toMatchObject({ code: "usage", message: "[step] is only for go_to" });
});

it.each([
  ["retry", ["retry"], "build"],
  ["skip", ["skip"], "ship"],
  ["go_to", ["go_to", "ship"], "ship"],
])("after %s the run goes on with its earlier outputs to its end", async (_name, words, step) => {
  const { project, server, person } = await failed();
  const decided = await project.json(["decide", ...words, "--reason", "it is there now", ...person]);
  expect(decided).toMatchObject({ code: 0, value: { status: "running", step } });
  const next = await server.ok("workflow_status");
  expect(next).toMatchObject({ status: "running", step });
  expect(next.instructions).toContain("by the plan");
  expect(next.instructions).toContain("it is there now");
  let last = await server.ok("workflow_advance", { output: "done" });
  if (last.status !== "complete") last = await server.ok("workflow_advance", { output: "done" });
  expect(last.status).toBe("complete");
});

it("an abandoned run can be reopened at a step, is live for a server that saw it end, and finishes", async () => {
  const { project, server, runId, person } = await failed();
  expect((await project.json(["decide", "abandon", ...person])).value).toMatchObject({ status: "failed" });
  expect(await server.ok("workflow_status")).toMatchObject({ status: "failed", token: null });
  expect((await project.json(["reopen", "flow", "--at", "nowhere", ...person])).value.error.code).toBe("step-unknown");
  const reopened = await project.json(["reopen", "flow", "--at", "ship", "--reason", "ship it anyway", ...person]);
  expect(reopened).toMatchObject({ code: 0, value: { runId, status: "running", step: "ship" } });
  const next = await server.ok("workflow_status");
  expect(next).toMatchObject({ runId, step: "ship", status: "running" });
  expect(next.instructions).toContain("Ship by the plan");
  expect(next.instructions).toContain("ship it anyway");
  expect(await server.ok("workflow_advance", { output: "shipped" })).toMatchObject({ status: "complete" });
  const outputs = (await server.ok("workflow_context", { run_id: runId })).outputs;
  expect(outputs).toMatchObject({ plan: "the plan", ship: "shipped" });
  expect((await project.json(["reopen", runId, ...person])).value.error.code).toBe("run-ended");
});

it("a run that uses none of the new events stays in the format that older versions read", async () => {
  const project = createProject();
  addWorkflow(project, "flow", steps);
  await project.holdfast(["start", "flow"]);
  await project.holdfast(["advance", "--output", "the plan"]);
  const formats = () =>
    project
      .journal()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  expect(formats().map(({ format, needs }) => [format, needs])).toEqual([
    [1, undefined],
    [1, undefined],
  ]);
  await project.holdfast(["fail", "--reason", "no"]);
  expect(formats().at(-1)).toMatchObject({ format: 2, needs: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
});
