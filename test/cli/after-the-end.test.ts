import { describe, expect, it } from "vitest";
import { makeWorld, type World } from "../app/world.ts";
import { addWorkflow, giveSecret, serveHere } from "../mcp/serve.ts";
import { createProject, type Project } from "./program.ts";

const one = "steps: [{ id: only, type: action, instructions: Do it }]";

/** A project in which a session has finished a run. */
async function finished(session: string): Promise<Project> {
  const project = createProject();
  addWorkflow(project, "short", one);
  const env = { HOLDFAST_SESSION: session };
  await project.json(["start", "short", "--summary", "Add dark mode"], { env });
  await project.json(["advance", "--output", "done"], { env });
  return project;
}

describe("on the command line", () => {
  it("status, next and log show the run that has just ended", async () => {
    const project = await finished("s1");
    const status = await project.holdfast(["status"]);
    expect(status).toMatchObject({ code: 0, stderr: "" });
    expect(status.stdout).toMatch(/^short · "Add dark mode" +complete/);
    expect(status.stdout).toContain("Next: nothing; the run is complete.");
    expect(await project.holdfast(["next"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Workflow complete."),
    });
    const log = await project.holdfast(["log"]);
    expect(log).toMatchObject({ code: 0, stdout: expect.stringContaining("run-completed") });
    expect((await project.holdfast(["context"])).stdout).toMatch(
      /^run short-\S+ {3}complete\n\nRequest\n {2}Add dark mode\n/,
    );
    const followed = await project.holdfast(["log", "--follow", "--json"]);
    expect(followed).toMatchObject({ code: 0, stdout: expect.stringContaining("run-completed") });
  });

  it("status keeps a reason of several lines in its place, and an advance is told that its output is lost", async () => {
    const project = createProject();
    addWorkflow(project, "short", one);
    const env = { HOLDFAST_SESSION: "s1" };
    await project.json(["start", "short"], { env });
    await project.json(["abort", "--reason", "not now\nand not here"]);
    expect((await project.holdfast(["status"])).stdout).toContain(
      "\n  Next: nothing. Workflow aborted: not now and not here\n  Run: ",
    );
    expect((await project.json(["advance", "--output", "done"], { env })).value.error.message).toBe(
      "the run is aborted; this output was not recorded",
    );
  });

  it("a program that loops on next can tell a complete run from one that never started", async () => {
    const project = createProject();
    addWorkflow(project, "short", one);
    expect(await project.json(["next"])).toMatchObject({ code: 1, value: { error: { code: "run-unknown" } } });
    await project.json(["start", "short", "--summary", "Add dark mode"]);
    expect(await project.json(["next"])).toMatchObject({ code: 0, value: { status: "running" } });
    await project.json(["advance"]);
    expect(await project.json(["next"])).toMatchObject({
      code: 0,
      value: { status: "complete", summary: "Add dark mode", token: null },
    });
  });
});

describe("over MCP", () => {
  it("the session that finished a run is told that it is complete, and nothing asks it to start over", async () => {
    const project = createProject();
    addWorkflow(project, "short", one);
    const server = await serveHere(project, { env: { HOLDFAST_SESSION: "s1" } });
    await server.ok("workflow_start", { workflow: "short", summary: "Add dark mode" });
    await server.ok("workflow_advance", { output: "done" });
    const status = await server.ok("workflow_status");
    expect(status).toMatchObject({ status: "complete", summary: "Add dark mode", instructions: "Workflow complete." });
    expect(JSON.stringify(status)).not.toContain("workflow_start");
    expect(await server.ok("workflow_context")).toMatchObject({
      runId: status.runId,
      status: "complete",
      summary: "Add dark mode",
      outputs: { only: "done" },
    });
    const { next } = await server.no("workflow_advance", { output: "more" });
    expect(next).toBe(
      "nothing is left to do on it; start another run with workflow_start only if the person asks for one",
    );
  });

  it("that session leaves the run of another session alone, unless it names it", async () => {
    const project = createProject();
    addWorkflow(project, "short", one);
    addWorkflow(project, "long", `${one.slice(0, -1)}, { id: more, type: action, instructions: More }]`);
    const first = await serveHere(project, { env: { HOLDFAST_SESSION: "s1" } });
    const second = await serveHere(project, { env: { HOLDFAST_SESSION: "s2" } });
    const { runId } = await first.ok("workflow_start", { workflow: "short" });
    await first.ok("workflow_advance", { output: "done" });
    const other = await second.ok("workflow_start", { workflow: "long" });
    expect(await first.no("workflow_advance", { output: "done" })).toMatchObject({ code: "run-ended" });
    expect(await first.ok("workflow_status")).toMatchObject({ runId, status: "complete" });
    expect(await first.ok("workflow_context")).toMatchObject({ runId, status: "complete" });
    expect(await second.ok("workflow_status")).toMatchObject({ runId: other.runId, step: "only" });
    expect(await first.ok("workflow_status", { run_id: other.runId })).toMatchObject({ step: "only" });
    expect(await first.ok("workflow_status")).toMatchObject({ runId: other.runId });
  });

  it("that session goes on with the run that a person has reset its own to", async () => {
    const project = createProject();
    addWorkflow(project, "short", one);
    const server = await serveHere(project, { env: { HOLDFAST_SESSION: "s1" } });
    const { runId } = await server.ok("workflow_start", { workflow: "short" });
    const { value } = await project.json(["reset", ...giveSecret(project)]);
    expect(value.runId).not.toBe(runId);
    expect(await server.ok("workflow_status")).toMatchObject({ runId: value.runId, status: "running" });
  });

  it("another session is told that no run is live, with the tools for one", async () => {
    const server = await serveHere(await finished("s1"), { env: { HOLDFAST_SESSION: "s2" } });
    expect(await server.no("workflow_status")).toEqual({
      code: "run-unknown",
      message: "there is no live run here",
      next: "if the person wants a workflow, start one with workflow_start; workflow_list shows what there is",
    });
    expect(await server.no("workflow_context")).toMatchObject({ code: "run-unknown" });
  });
});

describe("the run that ended last", () => {
  const shell = (world: World, session?: string, cwd?: string) => world.script({ face: "cli", session }, cwd);

  /** Two runs that have ended: of s1 in the project, then of s2 in a worktree beside it. */
  async function two(): Promise<{ world: World; beside: string; first: string; second: string }> {
    const world = makeWorld();
    world.workflow("short", one);
    world.commit();
    const beside = world.worktree("beside");
    const { runId: first } = await world.agent("s1").ok("start", { workflow: "short" });
    await world.agent("s1").ok("advance");
    world.pass(1);
    const { runId: second } = await world.agent("s2", beside).ok("start", { workflow: "short" });
    await world.agent("s2", beside).ok("advance");
    return { world, beside, first, second };
  }

  it("is this session's, else this worktree's", async () => {
    const { world, beside, first, second } = await two();
    expect(await shell(world).ok("status")).toMatchObject({ runId: first, status: "complete" });
    expect(await shell(world, undefined, beside).ok("status")).toMatchObject({ runId: second });
    expect(await shell(world, "s2").ok("status")).toMatchObject({ runId: second });
    expect(await shell(world, "s1", beside).ok("next")).toMatchObject({ runId: first });
  });

  it("is none on the command line after a day, and still its own over MCP", async () => {
    const { world, first } = await two();
    world.pass(24 * 60 - 1);
    expect(await shell(world).ok("next")).toMatchObject({ runId: first });
    world.pass(2);
    for (const name of ["status", "overview", "next", "log"] as const) {
      expect(await shell(world, "s1").no(name)).toEqual({ code: "run-unknown", run: null });
    }
    expect(await world.agent("s1").ok("next")).toMatchObject({ runId: first });
  });

  it("is nobody's while another is live", async () => {
    const { world } = await two();
    const { runId } = await world.agent("s3").ok("start", { workflow: "short" });
    expect(await shell(world, "s1").ok("status")).toMatchObject({ runId, status: "running" });
  });
});
