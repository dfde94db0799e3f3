import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject, type Project } from "../cli/program.ts";
import { serveHere } from "./serve.ts";

const flow = `name: flow
description: a test
variables:
  ticket: { type: text, required: true, description: The number of the issue, pattern: "[A-Z]+-[0-9]+" }
  rounds: { type: number, default: 2 }
  check: { type: command, default: touch default.txt }
steps:
  - { id: work, type: action, instructions: "Do {vars.ticket}, {vars.rounds} rounds", gate: [{ command: check }] }
  - { id: more, type: action, instructions: More }
`;

function projectWith(text: string): Project {
  const project = createProject();
  project.write(".holdfast/workflows/flow.yaml", text);
  return project;
}

const trustAll = (project: Project) => project.holdfast(["start", "flow", "--trust", "--var", "ticket=ENG-1"]);

describe("variables over MCP", () => {
  it("that are required and missing are named, so that the agent can ask the person", async () => {
    const server = await serveHere(projectWith(flow));
    expect(await server.no("workflow_start", { workflow: "flow" })).toEqual({
      code: "variable-missing",
      message:
        'the workflow "flow" needs values for:\n  ticket (text that matches [A-Z]+-[0-9]+): The number of the issue',
      next: "ask the person for what the request does not say, then call workflow_start again with variables ticket",
    });
  });

  it("have their types, in a start and in an advance", async () => {
    const project = projectWith(flow);
    await trustAll(project);
    const server = await serveHere(project);
    const variables = { ticket: "ENG-7", rounds: "3" };
    expect(
      await server.no("workflow_start", { workflow: "flow", new: true, variables: { ticket: "7" } }),
    ).toMatchObject({
      code: "variable-invalid",
      message: expect.stringContaining('the variable "ticket" must match [A-Z]+-[0-9]+, not "7"'),
    });
    const started = await server.ok("workflow_start", { workflow: "flow", new: true, variables });
    expect(started.instructions).toContain("Do ENG-7, 3 rounds");
    const run_id = started.runId;
    expect(await server.no("workflow_advance", { run_id, variables: { rounds: "many" } })).toMatchObject({
      code: "variable-invalid",
    });
    expect(await server.ok("workflow_advance", { run_id, variables: { rounds: 4 } })).toMatchObject({ step: "more" });
  });

  it("that are commands cannot be set, by a start or by an advance", async () => {
    const project = projectWith(flow);
    await trustAll(project);
    const server = await serveHere(project);
    const variables = { ticket: "ENG-7", check: "touch evil.txt" };
    expect(await server.no("workflow_start", { workflow: "flow", new: true, variables })).toEqual({
      code: "variable-protected",
      message: 'the variable "check" is a command, which only a person may set, when the run is started',
      next: 'start again without it to use its default, or ask the person to run: holdfast start flow --var check="..."',
    });
    const run = await server.ok("workflow_status");
    expect(
      await server.no("workflow_advance", { run_id: run.runId, variables: { check: "touch evil.txt" } }),
    ).toMatchObject({
      code: "variable-protected",
    });
    await server.ok("workflow_advance", { run_id: run.runId });
    const made = ["default.txt", "evil.txt"].filter((name) => existsSync(join(project.root, name)));
    expect(made).toEqual(["default.txt"]);
  });
});
