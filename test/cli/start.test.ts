import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runHook } from "../hooks/hook-program.ts";
import { addWorkflow, giveSecret, serveHere } from "../mcp/serve.ts";
import { createProject, type Project } from "./program.ts";

const steps = `
variables: { scope: all, depth: 1 }
steps:
  - { id: plan, type: action, instructions: "Plan what was asked for:\\n{run.request}" }
  - { id: build, type: action, instructions: "Build {run.summary}: {run.request}" }
`;

function projectWith(...names: readonly string[]): Project {
  const project = createProject();
  for (const name of names) addWorkflow(project, name, steps);
  return project;
}

const request = `Add dark mode\n\nIt follows the system by default. ${"A detail that matters. ".repeat(300)}The end.`;

async function refused(project: Project, words: readonly string[], calling = {}) {
  const { code, value } = await project.json(words, calling);
  expect(code).toBe(1);
  return value.error;
}

describe("the request", () => {
  it.each([
    ["as an argument", ["start", "work", request], ""],
    ["on standard input", ["start", "work", "-"], `${request}\n`],
  ])("is kept whole, %s, and its first line is the summary", async (_, words, input) => {
    const project = projectWith("work");
    const { value } = await project.json(words, { input });
    expect(value).toMatchObject({ summary: "Add dark mode", step: "plan" });
    expect(value.instructions).toContain(`Plan what was asked for:\n${request}\n`);
    const next = await project.json(["advance", "--output", "planned"]);
    expect(next.value.instructions).toContain(`Build Add dark mode: ${request}\n`);
  });

  it("is kept whole over MCP, beside a summary for display, and comes back with the handoff", async () => {
    const project = projectWith("work");
    const session = "5e551077-aaaa-4bbb-8ccc-000000000009";
    const server = await serveHere(project, { env: { HOLDFAST_SESSION: session } });
    const started = await server.ok("workflow_start", { workflow: "work", request, summary: "Dark mode" });
    expect(started).toMatchObject({ summary: "Dark mode", instructions: expect.stringContaining(request) });
    const { answer } = await runHook(project, "SessionStart", { session_id: session, source: "compact" });
    expect(answer.hookSpecificOutput.additionalContext).toContain("The end.");
  });

  it("may come as words, and a long summary alone is one", async () => {
    const project = projectWith("work");
    const { value } = await project.json(["start", "work", "Add", "dark", "mode"]);
    expect(value).toMatchObject({
      summary: "Add dark mode",
      instructions: expect.stringContaining("\nAdd dark mode\n"),
    });
    const long = `Add dark mode ${"to every page ".repeat(20)}`.trim();
    const another = await project.json(["start", "work", "--summary", long, "--new"]);
    expect(another.value.summary).toBe(`${long.slice(0, 97)}...`);
    expect(another.value.instructions).toContain(`\n${long}\n`);
  });

  it("stands once in the journal and not in the run's state, so that no advance pays for it", async () => {
    const project = projectWith("work");
    await project.json(["start", "work", request]);
    await project.json(["advance", "--output", "planned"]);
    expect(project.journal().split("The end.")).toHaveLength(2);
    expect(readFileSync(join(project.runFolder(), "snapshot.json"), "utf8")).not.toContain("The end.");
  });

  it("has the project's path where it is read, and a placeholder where it is stored", async () => {
    const project = projectWith("work");
    const { value } = await project.json(["start", "work", `Fix ${project.root}/src/a.ts\nsoon`]);
    expect(value.instructions).toContain(`Fix ${project.root}/src/a.ts\nsoon`);
    expect(project.journal()).not.toContain(project.root);
  });

  it("can be read at any time, with the outputs so far", async () => {
    const project = projectWith("work");
    const { value } = await project.json(["start", "work", `${request}\nSee ${project.root}/docs/a.md`]);
    await project.json(["advance", "--output", `Read ${project.root}/docs/a.md`]);
    const { stdout } = await project.holdfast(["context"]);
    const asked = `${request}\nSee ${project.root}/docs/a.md`.replace(/^(?=.)/gm, "  ");
    expect(stdout).toContain(`run ${value.runId}   running\n\nRequest\n${asked}\n`);
    expect(stdout).toContain(`\nOutput of plan\n  Read ${project.root}/docs/a.md\n`);
  });

  it("may have 100,000 characters and no more", async () => {
    const project = projectWith("work");
    const most = "é".repeat(100_000);
    expect(await refused(project, ["start", "work", "-"], { input: `${most}é` })).toEqual({
      code: "request-too-long",
      message: "the request has 100,001 characters; at most 100,000 are possible",
      next: "put the details in a file of the project, and name that file in the request",
    });
    const { value } = await project.json(["start", "work", "-"], { input: most });
    const [, file = ""] = /read @(\S+) for the whole request/.exec(value.instructions) ?? [];
    expect(project.read(file)).toBe(most);
  });

  it("stays with the workflow when a person resets the run", async () => {
    const project = projectWith("work");
    await project.json(["start", "work", request, "--var", "scope=pages"]);
    await project.json(["advance", "--var", "found=later"]);
    const { value } = await project.json(["reset", ...giveSecret(project)]);
    expect(value).toMatchObject({ step: "plan", instructions: expect.stringContaining(request) });
  });

  it("that nobody gave is said to be missing", async () => {
    const project = projectWith("work");
    expect((await project.json(["start", "work"])).value.instructions).toContain("\n(no request was given)\n");
  });

  it.each(["bugfix", "coder", "context-example", "feature", "planning", "qa-loop", "refactor", "release"])(
    "is in the first instructions of the built-in workflow %s",
    async (workflow) => {
      const project = createProject();
      await project.json(["start", workflow, request]);
      expect((await project.json(["next"])).value.instructions).toContain(request);
    },
  );

  it("is a placeholder that lint knows", async () => {
    const project = projectWith("work");
    expect((await project.holdfast(["lint"])).code).toBe(0);
    addWorkflow(project, "misspelt", 'steps: [{ id: a, type: action, instructions: "Do {run.requst}" }]');
    expect((await project.holdfast(["lint"])).stdout).toContain("{run.requst} is unknown; did you mean request?");
  });
});

describe("start", () => {
  it("prints the run's id, and says when it returns a live run", async () => {
    const project = projectWith("work");
    const first = await project.holdfast(["start", "work", "Add dark mode"]);
    const [, run] = /^run (work-\S+)\nstep 1\/2 plan /.exec(first.stdout) ?? [];
    expect(run).toBeDefined();
    const again = await project.holdfast(["start", "work", "Add dark mode"]);
    expect(again.stdout).toMatch(new RegExp(`^run ${run} \\(already live; nothing was started\\)\nstep 1/2 plan `));
    expect(again.stdout.split("already live")).toHaveLength(2);
    const bare = await project.json(["start", "work", "--var", "depth=2"]);
    expect(bare.value).toMatchObject({
      runId: run,
      note: "already live; nothing was started, and the variables you sent were not used",
    });
  });

  it.each([
    ["request", ["Add a calendar"]],
    ["request with the same first line", ["Add dark mode\nand a calendar"]],
    ["summary", ["--summary", "A calendar"]],
    ["summary for the same request", ["Add dark mode", "--summary", "A calendar"]],
  ])("refuses another %s for a live run, unless a new one is asked for", async (_, words) => {
    const project = projectWith("work");
    const { value } = await project.json(["start", "work", "Add dark mode"]);
    expect(await refused(project, ["start", "work", ...words])).toEqual({
      code: "request-differs",
      message: `the workflow "work" has a live run here, ${value.runId}, for another request: "Add dark mode"`,
      next: `continue it with \`holdfast next --run ${value.runId}\`, or start another run with --new`,
    });
    const another = await project.json(["start", "work", ...words, "--new"]);
    expect(another.value).not.toMatchObject({ runId: value.runId });
  });

  it("refuses it over MCP in the words of MCP, and takes new: true", async () => {
    const project = projectWith("work");
    const server = await serveHere(project);
    const { runId } = await server.ok("workflow_start", { workflow: "work", request });
    expect(await server.ok("workflow_start", { workflow: "work", request })).toMatchObject({
      runId,
      note: "already live; nothing was started",
    });
    expect(await server.no("workflow_start", { workflow: "work", request: "Add a calendar" })).toMatchObject({
      code: "request-differs",
      next: `continue it: call workflow_status with run_id ${runId}; if the person wants another run, send new: true`,
    });
    const another = await server.ok("workflow_start", { workflow: "work", request: "Add a calendar", new: true });
    expect(another).toMatchObject({
      summary: "Add a calendar",
      warning: `another run is live here: ${runId}; your calls mean this one unless you send run_id`,
    });
  });

  it("warns of the other runs that are live here, because later commands must name one", async () => {
    const project = projectWith("work", "play", "rest");
    const { value: work } = await project.json(["start", "work", "Add dark mode"]);
    expect(work).not.toHaveProperty("warning");
    const { value: play } = await project.json(["start", "play"]);
    const rest = await project.holdfast(["start", "rest"]);
    expect(rest.code).toBe(0);
    const [, run] = /^run (\S+)\n/.exec(rest.stdout) ?? [];
    expect(rest.stdout).toContain(
      `warning: other runs are live here: ${play.runId}, ${work.runId}; name this one in later commands: --run ${run}\n`,
    );
  });

  it("warns of them with a context action too, and names switching in the words of the command line", async () => {
    const project = projectWith("work");
    const { value: work } = await project.json(["start", "work"]);
    addWorkflow(project, "fresh", "steps: [{ id: a, type: action, instructions: A, context: clear }]");
    const fresh = await project.holdfast(["start", "fresh"]);
    expect(fresh.stdout).toMatch(
      new RegExp(`^run \\S+\nwarning: another run is live here: ${work.runId}; name this one .*\nPlease run .*/clear`),
    );
    const next = await project.holdfast(["next", "--run", work.runId]);
    expect(next.stdout).toMatch(
      /Another live run in this project: fresh-\S+ \(at a\)\. To switch, name it with --run\.\n/,
    );
    expect(next.stdout).not.toContain("run_id");
  });

  it("after a reset does not name the run that it has just ended, but those that are left", async () => {
    const project = projectWith("work", "play");
    const { value: old } = await project.json(["start", "work"]);
    const reset = await project.holdfast(["reset", ...giveSecret(project)]);
    expect(reset.stdout).toMatch(
      /^run work-\S+\nstep 1\/2 plan {3}visit plan#1\nNext: tell the agent to continue with this run\.\n$/,
    );
    expect(reset.stdout).not.toContain(old.runId);
    const { value: play } = await project.json(["start", "play"]);
    const again = await project.json(["reset", "--run", play.runId, ...giveSecret(project)]);
    expect(again.value.warning).toMatch(/^another run is live here: work-/);
    expect(JSON.stringify(again.value)).not.toContain(play.runId);
  });

  it("refuses a variable that the workflow does not declare, and names the nearest", async () => {
    const project = projectWith("work");
    expect(await refused(project, ["start", "work", "--var", "scop=pages"])).toEqual({
      code: "variable-unknown",
      message: 'the workflow "work" declares no variable "scop"; did you mean scope?\nIt declares:\n  scope\n  depth',
      next: "correct the name, then start again",
    });
    expect((await refused(project, ["start", "work", "--var", "colour=red"])).message).toBe(
      'the workflow "work" declares no variable "colour"\nIt declares:\n  scope\n  depth',
    );
    const { value } = await project.json(["runs"]);
    expect(value.runs).toEqual([]);
  });

  it("refuses the home folder and the root of the file system as a project", async () => {
    const project = projectWith("work");
    const inHome = { cwd: project.home };
    expect(await refused(project, ["start", "feature"], inHome)).toEqual({
      code: "project-unfit",
      message: `${project.home} is your home folder, not a project`,
      next: "change to the project's folder; if you are in it, run `git init` there first",
    });
    expect((await refused(project, ["start", "feature"], { cwd: "/" })).code).toBe("project-unfit");
    mkdirSync(join(project.home, ".holdfast/workflows"), { recursive: true });
    mkdirSync(join(project.home, "code/app"), { recursive: true });
    const below = await refused(project, ["start", "feature"], { cwd: join(project.home, "code/app") });
    expect(below.message).toBe(`${project.home} is your home folder, not a project`);
  });
});
