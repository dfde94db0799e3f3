import { describe, expect, it } from "vitest";
import { addWorkflow, giveSecret, type Json, type Server, serveHere } from "../mcp/serve.ts";
import { createProject, type Project } from "./program.ts";

const steps = `
steps:
  - { id: plan, type: action, instructions: Plan, gate: [{ approval: human }] }
  - { id: build, type: action, instructions: Build }
  - { id: check, type: action, instructions: Check }
  - { id: ship, type: action, instructions: Ship, gate: [{ approval: human }] }
`;

/** A run that waits for the approval of its plan. */
async function waiting(): Promise<{ project: Project; server: Server; person: readonly string[] }> {
  const project = createProject();
  addWorkflow(project, "approved", steps);
  const server = await serveHere(project);
  await server.ok("workflow_start", { workflow: "approved" });
  await server.no("workflow_advance", { output: `A plan for ${project.root}/app\nin two parts` });
  return { project, server, person: giveSecret(project) };
}

async function decide(project: Project, words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await project.holdfast(words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

const instructions = async (server: Server): Promise<string> => (await server.ok("workflow_status")).instructions;

async function handoffOf(server: Server): Promise<string> {
  const { runId } = await server.ok("workflow_status");
  const { result }: Json = await server.request("resources/read", { uri: `holdfast://runs/${runId}/handoff` });
  return result.contents[0].text;
}

describe("a person who decides is told", () => {
  it("what was approved, what the agent submitted, and what happens next", async () => {
    const { project, person } = await waiting();
    expect(await decide(project, ["approve", ...person])).toMatch(
      new RegExp(
        "^approved: step 1/4 plan\n" +
          `The agent submitted:\n  \\| A plan for ${project.root}/app\n  \\| in two parts\n` +
          'Next: The agent can advance now to "build"\\. If it has stopped, tell it to continue\\.\n' +
          "Run:  approved-\\S+\n$",
      ),
    );
  });

  it("by the status what the agent submitted, before they decide", async () => {
    const { project, server, person } = await waiting();
    const { stdout } = await project.holdfast(["status"]);
    expect(stdout).toContain(
      `  The agent submitted:\n    | A plan for ${project.root}/app\n    | in two parts\n  Next: a person runs`,
    );
    await decide(project, ["reject", "--reason", "in one part", ...person]);
    expect((await project.holdfast(["status"])).stdout).not.toContain("submitted");
    const long = Array.from({ length: 40 }, (_, n) => `line ${n + 1}`).join("\n");
    await server.no("workflow_advance", { output: long });
    expect((await project.holdfast(["status"])).stdout).toMatch(
      /\n {4}\| line 12\n {4}\(shortened; holdfast log --json has more\)\n/,
    );
  });

  it("the same of a rejection", async () => {
    const { project, person } = await waiting();
    const said = await decide(project, ["reject", "--reason", "in one part", ...person]);
    expect(said).toMatch(/^rejected: step 1\/4 plan\nThe agent submitted:\n {2}\| A plan for /);
    expect(said).toContain("Next: The agent gets your reason with its instructions, and asks again");
  });

  it("what is submitted anew after a rejection, and nothing where the agent said nothing", async () => {
    const { project, server, person } = await waiting();
    await decide(project, ["reject", "--reason", "in one part", ...person]);
    await server.no("workflow_advance", { output: "A plan in one part" });
    expect((await project.json(["approve", ...person])).value.decided).toEqual({
      decision: "approved",
      by: "ada",
      submitted: "A plan in one part",
      next: expect.any(String),
    });
    for (const output of ["planned", "built", "checked"]) await server.ok("workflow_advance", { output });
    await server.no("workflow_advance");
    const said = await decide(project, ["approve", ...person]);
    expect(said).toContain("approved: step 4/4 ship\nThe agent submitted no text.\n");
    expect(said).toContain("advance now, which completes the run.");
  });

  it("which task of a loop it was, and with which outcome a step would end", async () => {
    const project = createProject();
    addWorkflow(
      project,
      "looped",
      `
steps:
  - { id: build, type: loop }
  - { id: ship, type: action, instructions: Ship, outcomes: { now: complete, again: build }, gate: [{ approval: human }] }
loops: { build: [{ id: make, instructions: "Make it", gate: [{ approval: human }] }] }`,
    );
    const person = giveSecret(project);
    const server = await serveHere(project);
    await server.ok("workflow_start", { workflow: "looped" });
    await server.ok("workflow_set_tasks", { loop_id: "build", tasks: [{ id: "t1", title: "The toggle" }] });
    await server.no("workflow_advance", { output: "made" });
    expect(await decide(project, ["approve", ...person])).toContain(
      "approved: step 1/2 build · task 1/1 · make (The toggle)\n",
    );
    await server.ok("workflow_advance", { output: "made" });
    await server.no("workflow_advance", { output: "shipped", outcome: "again" });
    const said = await decide(project, ["approve", ...person]);
    expect(said).toContain('The agent submitted with the outcome "again":\n  | shipped\n');
    expect(said).toContain('Next: The agent can advance now to "build".');
  });
});

describe("the agent is told", () => {
  const approved = "Approved by ada: call workflow_advance now, with the same output (or a summary of it).";

  it("of a plain approval, by whom, in the status and in the handoff", async () => {
    const { project, server, person } = await waiting();
    await decide(project, ["approve", ...person]);
    expect(await instructions(server)).toBe(`Plan\n\n${approved}`);
    expect(await handoffOf(server)).toContain(approved);
    expect((await project.holdfast(["status"])).stdout).toContain("Next: approved by ada; the agent can advance now.");
  });

  it("only of the approval, when a rejection came before it", async () => {
    const { project, server, person } = await waiting();
    await decide(project, ["reject", "--reason", "in one part", ...person]);
    expect(await instructions(server)).toContain("> in one part");
    await server.no("workflow_advance", { output: "A plan in one part" });
    await decide(project, ["approve", ...person]);
    expect(await instructions(server)).toBe(`Plan\n\n${approved}`);
    expect(await handoffOf(server)).not.toContain("in one part");
  });

  it("to advance, and not to have the work of another agent done again", async () => {
    const project = createProject();
    addWorkflow(
      project,
      "delegated",
      `
agents: { helper: { description: helps } }
steps:
  - { id: plan, type: action, agent: helper, instructions: Plan, gate: [{ approval: human }] }
  - { id: build, type: action, instructions: Build }`,
    );
    const person = giveSecret(project);
    const server = await serveHere(project);
    const spawn = 'SPAWN the agent "helper" for this step and give it these instructions:\n\nPlan\n\n';
    const done = 'The agent "helper" has done this step with these instructions:\n\nPlan\n\n';
    expect((await server.ok("workflow_start", { workflow: "delegated" })).instructions).toContain(spawn);
    await server.no("workflow_advance", { output: "planned" });
    expect(await instructions(server)).toBe(
      `${done}(Its instructions end here.) This step waits for a person's approval. ` +
        "Once it is given, call workflow_advance again.",
    );
    await decide(project, ["reject", "--reason", "in one part", ...person]);
    expect(await instructions(server)).toContain(
      `${spawn}A person rejected this step and said:\n> in one part\n\n(Its`,
    );
    await server.no("workflow_advance", { output: "planned again" });
    await decide(project, ["approve", ...person]);
    expect(await instructions(server)).toBe(`${done}(Its instructions end here.) ${approved}`);
  });

  it("what a person said until they approve, also after a gate and an attempt have failed", async () => {
    const project = createProject();
    addWorkflow(
      project,
      "checked",
      `
steps:
  - { id: plan, type: action, instructions: Plan, gate: [{ approval: human }] }
  - id: build
    type: action
    instructions: Build
    on_fail: retry
    gate: [{ exists: app.txt }, { approval: human }]`,
    );
    const person = giveSecret(project);
    const server = await serveHere(project);
    await server.ok("workflow_start", { workflow: "checked" });
    await server.no("workflow_advance", { output: "planned" });
    await decide(project, ["approve", "--reason", "in one file", ...person]);
    await server.ok("workflow_advance", { output: "planned" });
    expect(await server.no("workflow_advance", { output: "built" })).toMatchObject({ code: "gate-failed" });
    const said = "A person approved the previous step and said:\n> in one file\n\n";
    expect(await instructions(server)).toContain(`${said}The gate failed when it was last checked:\n> exists app.txt`);
    expect(await handoffOf(server)).toContain('"in one file"');
    await server.ok("workflow_advance", { output: "no disk", failed: true });
    expect(await instructions(server)).toContain(`${said}The last attempt failed for this reason:\n> no disk`);
    project.write("app.txt", "The app\n");
    await server.no("workflow_advance", { output: "built" });
    await decide(project, ["reject", "--reason", "with a test", ...person]);
    project.write("app.txt", "");
    await server.no("workflow_advance", { output: "built" });
    const rejected = await instructions(server);
    expect(rejected).toContain("Build\n\nA person rejected this step and said:\n> with a test\n\nThe gate failed");
    project.write("app.txt", "The app\n");
    await server.no("workflow_advance", { output: "built" });
    await decide(project, ["approve", ...person]);
    expect(await instructions(server)).toBe(`Build\n\n${approved}`);
  });

  it("what was said with it, in the next visit too, and in no later one", async () => {
    const { project, server, person } = await waiting();
    await decide(project, ["approve", "--reason", "but write tests first", ...person]);
    expect(await instructions(server)).toContain("ada approved this step and said:\n> but write tests first");
    expect(await handoffOf(server)).toContain('approved by ada: "but write tests first"');
    const next = await server.ok("workflow_advance", { output: "planned" });
    expect(next.instructions).toContain("A person approved the previous step and said:\n> but write tests first");
    expect(next.instructions).toContain("When this is done, call workflow_advance");
    const later = await server.ok("workflow_advance", { output: "built" });
    expect(later).toMatchObject({ step: "check" });
    expect(later.instructions).not.toContain("but write tests first");
    expect(await handoffOf(server)).not.toContain("but write tests first");
  });
});
