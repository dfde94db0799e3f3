import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject, type Project } from "./program.ts";

const start = [
  ...["track", "start", "Page Orchestration", "--type", "custom", "--phase", "1/10", "--name", "Research"],
  ...["--reading", "docs/a.md", "--reading", "@docs/b.md", "--reminder", "Ask before you publish"],
  ...["--set", "plan_number=66", "--set", "page=case studies"],
];

const folder = "untracked/workflow-state";

function cardFile(project: Project, slug = "page-orchestration"): string {
  const [name = ""] = readdirSync(join(project.root, folder, slug));
  return join(folder, slug, name);
}

function card(project: Project, slug?: string) {
  return JSON.parse(project.read(cardFile(project, slug)));
}

describe("a tracked workflow", () => {
  it("gets a card in the seed's format when it is started", async () => {
    const project = createProject();
    const { code, value } = await project.json(start);
    expect(code).toBe(0);
    expect(value.file).toBe(cardFile(project));
    expect(value.file).toMatch(
      /^untracked\/workflow-state\/page-orchestration\/state-page-orchestration-\d{8}_\d{6}\.json$/,
    );
    expect(card(project)).toEqual({
      workflow: "Page Orchestration",
      workflow_type: "custom",
      phase: { current: 1, total: 10, name: "Research", status: "in_progress" },
      required_reading: ["@docs/a.md", "@docs/b.md"],
      context: { plan_number: 66, page: "case studies" },
      key_reminders: ["Ask before you publish"],
      created_at: value.created_at,
      updated_at: value.updated_at,
      version: 1,
    });
  });

  it("is told to a person in a few lines", async () => {
    const project = createProject();
    project.write("docs/a.md", "");
    const { code, stdout, stderr } = await project.holdfast(start);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      [
        "Page Orchestration · phase 1/10 Research (in progress)",
        "  note: @docs/b.md does not exist",
        "  Reading     @docs/a.md @docs/b.md",
        "  Reminders   Ask before you publish",
        `  Card        ${cardFile(project)}`,
        "  Next        holdfast track phase, whenever a phase changes",
        "",
      ].join("\n"),
    );
  });

  it("moves on, and nothing else in its card is lost", async () => {
    const project = createProject();
    await project.holdfast(start);
    const before = card(project);
    const edited = { ...before, notes_of_mine: ["keep me"], context: { ...before.context, seen: true } };
    project.write(cardFile(project), JSON.stringify(edited));
    const { code } = await project.json(["track", "phase", "4/10", "SEO Generation", "--status", "blocked"]);
    expect(code).toBe(0);
    expect(card(project)).toEqual({
      ...before,
      phase: { current: 4, total: 10, name: "SEO Generation", status: "blocked" },
      context: { plan_number: 66, page: "case studies", seen: true },
      notes_of_mine: ["keep me"],
      updated_at: expect.any(String),
    });
    await project.holdfast(["track", "phase", "4/10", "--set", "plan_number=67", "--reading", "docs/c.md"]);
    expect(card(project)).toMatchObject({
      phase: { current: 4, total: 10, name: "SEO Generation", status: "in_progress" },
      required_reading: ["@docs/a.md", "@docs/b.md", "@docs/c.md"],
      context: { plan_number: 67, page: "case studies", seen: true },
      created_at: before.created_at,
    });
  });

  it("is reminded once of each rule", async () => {
    const project = createProject();
    await project.holdfast(start);
    await project.holdfast(["track", "remind", "Run tests"]);
    const { value } = await project.json(["track", "remind", "Run tests"]);
    expect(value.key_reminders).toEqual(["Ask before you publish", "Run tests"]);
  });

  it("leaves nothing behind when it is complete", async () => {
    const project = createProject();
    await project.holdfast(start);
    expect(await project.holdfast(["track", "complete"])).toEqual({
      code: 0,
      stdout: "Page Orchestration is complete; its state card was deleted\n",
      stderr: "",
    });
    expect(existsSync(join(project.root, folder, "page-orchestration"))).toBe(false);
  });

  it("keeps a folder in which someone else has put something", async () => {
    const project = createProject();
    await project.holdfast(start);
    project.write(join(folder, "page-orchestration/notes.md"), "mine");
    await project.holdfast(["track", "complete"]);
    expect(readdirSync(join(project.root, folder, "page-orchestration"))).toEqual(["notes.md"]);
  });

  it("that another tool keeps is found, and its time of creation stays", async () => {
    const project = createProject();
    const theirs = {
      workflow: "QA Loop",
      workflow_type: "qa-loop",
      phase: { current: 2, total: 3, name: "Fixing Errors", status: "in_progress" },
      required_reading: ["CLAUDE/PlanWorkflow.md"],
      created_at: "2025-12-09T15:00:00Z",
    };
    project.write(join(folder, "qa-loop/state-qa-loop-20251209_150000.json"), JSON.stringify(theirs));
    await project.holdfast(["track", "phase", "3/3", "Verify"]);
    expect(card(project, "qa-loop")).toMatchObject({
      workflow_type: "qa-loop",
      phase: { current: 3, total: 3, name: "Verify", status: "in_progress" },
      required_reading: ["@CLAUDE/PlanWorkflow.md"],
      created_at: "2025-12-09T15:00:00Z",
    });
  });

  it("that followed a text is kept by command from then on", async () => {
    const project = createProject();
    project.write("CLAUDE.local.md", "# Workflow state\n\nWorkflow: Pages\nPhase: 2/5 - Draft\n");
    const event = ["hook", "--host", "claude", "PreCompact"];
    await project.bundled(event, { input: JSON.stringify({ session_id: "s", cwd: project.root }) });
    const { value } = await project.json(["track", "phase", "3/5", "Review"]);
    expect(value.notes).toEqual(["this card no longer follows CLAUDE.local.md"]);
    await project.bundled(event, { input: JSON.stringify({ session_id: "s", cwd: project.root }) });
    expect(card(project, "pages").phase).toEqual({ current: 3, total: 5, name: "Review", status: "in_progress" });
  });
});

describe("several tracked workflows", () => {
  async function two(): Promise<Project> {
    const project = createProject();
    await project.holdfast(["track", "start", "QA Loop"]);
    await project.holdfast(start);
    return project;
  }

  it("are listed when nothing says which is meant", async () => {
    const { json, holdfast } = await two();
    expect(await json(["track", "phase", "2/3"])).toEqual({
      code: 1,
      value: {
        error: {
          code: "tracked-ambiguous",
          message: 'several workflows are tracked: "Page Orchestration", "QA Loop"',
          next: "name one with --workflow NAME",
        },
      },
    });
    expect((await holdfast(["track", "remind", "x"])).stderr).toBe(
      [
        "refused: several workflows are tracked (tracked-ambiguous)",
        "  Workflows   Page Orchestration",
        "              QA Loop",
        "  Next        say which one with --workflow NAME",
        "",
      ].join("\n"),
    );
  });

  it("are told apart by name, whatever its case", async () => {
    const project = await two();
    const { value } = await project.json(["track", "phase", "2/3", "Fix", "--workflow", "qa loop"]);
    expect(value).toMatchObject({ workflow: "QA Loop", phase: { current: 2, total: 3, name: "Fix" } });
    await project.holdfast(["track", "complete", "--workflow", "QA Loop"]);
    expect(readdirSync(join(project.root, folder)).toSorted()).toEqual([".gitignore", "page-orchestration"]);
  });
});

describe("a refusal", () => {
  it("comes for a workflow that is tracked already, with where it stands", async () => {
    const project = createProject();
    await project.holdfast(start);
    expect(await project.json(start)).toEqual({
      code: 1,
      value: {
        error: {
          code: "tracked-exists",
          message: 'the workflow "Page Orchestration" is already tracked, at phase 1/10 Research',
          next: "continue it with `holdfast track phase`, or end it first with `holdfast track complete`",
        },
      },
    });
  });

  it("comes where nothing is tracked, or nothing of that name", async () => {
    const project = createProject();
    const none = await project.json(["track", "complete"]);
    await project.holdfast(start);
    const other = await project.json(["track", "remind", "x", "--workflow", "Pages"]);
    expect([none.code, none.value.error.code, none.value.error.message]).toEqual([
      1,
      "tracked-unknown",
      "no workflow is tracked here",
    ]);
    expect([other.value.error.message, other.value.error.next]).toEqual([
      'no workflow "Pages" is tracked here',
      'use one of "Page Orchestration"',
    ]);
  });

  it("comes where the project has switched cards off", async () => {
    const project = createProject();
    project.write(".holdfast/config.yaml", "cards: off\n");
    const { code, value } = await project.json(start);
    expect([code, value.error.code, value.error.message]).toEqual([
      1,
      "tracking-off",
      "state cards are turned off in this project",
    ]);
    expect(existsSync(join(project.root, "untracked"))).toBe(false);
  });
});

it("a phase past the end is kept and flagged", async () => {
  const project = createProject();
  await project.holdfast(["track", "start", "QA Loop"]);
  const { code, value } = await project.json(["track", "phase", "5/3", "Verify"]);
  expect(code).toBe(0);
  expect(value.phase).toEqual({ current: 5, total: 3, name: "Verify", status: "in_progress" });
  expect(value.notes).toEqual(["phase 5 of 3 is past the end"]);
});

it("an absolute path inside the project is kept from its root", async () => {
  const project = createProject();
  project.write("docs/a.md", "a");
  const { value } = await project.json(["track", "start", "QA Loop", "--reading", `${project.root}/docs/a.md`]);
  expect(value).toMatchObject({ required_reading: ["@docs/a.md"], notes: [] });
});

it("a file outside the project is flagged, because no handoff will name it", async () => {
  const { json } = createProject();
  const { value } = await json(["track", "start", "QA Loop", "--reading", "../../etc/passwd"]);
  expect(value.notes).toEqual(['"@../../etc/passwd" is left out: it is outside the project']);
});

const mistakes: readonly (readonly [what: string, words: readonly string[], message: string])[] = [
  ["phase 0", ["phase", "0/3"], "<phase> must be two numbers, each at least 1, such as 4/10"],
  ["a phase of none", ["phase", "1/0"], "<phase> must be two numbers, each at least 1, such as 4/10"],
  ["no phase", ["phase", "four"], "<phase> must be two numbers, each at least 1, such as 4/10"],
  ["a phase that is missing", ["phase"], "<phase> is missing"],
  ["a huge phase", ["phase", "1/9999999"], "<phase> must be two numbers, each at least 1, such as 4/10"],
  ["a name that is empty", ["phase", "1/3", ""], "[name] must not be empty"],
  ["a name with a line break", ["phase", "1/3", "a\nb"], "[name] must not contain invisible characters"],
  [
    "an unknown status",
    ["phase", "1/3", "--status", "blokced"],
    '"blokced" is not one of not_started, in_progress, completed, blocked; did you mean blocked?',
  ],
  ["a workflow without a name", ["start", " "], "<workflow> must not be empty"],
  ["a huge name", ["start", "x".repeat(5_000)], "<workflow> must have at most 100 characters; it has 5,000"],
  ["a name that steers the terminal", ["start", "a\u001b[2Jb"], "<workflow> must not contain invisible characters"],
  [
    "an unknown type",
    ["start", "a", "--type", "planing"],
    '"planing" is not one of planning, qa-loop, implementation, custom; did you mean planning?',
  ],
  [
    "a bad phase at the start",
    ["start", "a", "--phase", "3"],
    "--phase must be two numbers, each at least 1, such as 4/10",
  ],
  ["a value without a name", ["start", "a", "--set", "x"], '--set needs NAME=VALUE, not "x"'],
  [
    "a strange name of a value",
    ["start", "a", "--set", "1st=x"],
    "--set 1st must be a plain name (letters, digits and _, no digit first, at most 64 characters)",
  ],
  ["a blank file", ["start", "a", "--reading", " "], "--reading must not be empty"],
  ["a blank rule", ["remind", "  "], "<reminder> must not be empty"],
  ["a rule of many lines", ["remind", "a\nb"], "<reminder> must be one line without invisible characters"],
  ["a huge rule", ["remind", "x".repeat(1_001)], "<reminder> must have at most 1,000 characters; it has 1,001"],
];

it.each(mistakes)("%s is explained in one line, and nothing is written", async (_what, words, message) => {
  const project = createProject();
  const { code, value } = await project.json(["track", ...words]);
  expect([code, value.error.code, value.error.message]).toEqual([2, "usage", message]);
  expect(readdirSync(project.root)).toEqual([]);
});

it("the family of commands explains itself", async () => {
  const { holdfast } = createProject();
  const { code, stdout } = await holdfast(["track"]);
  expect(code).toBe(0);
  expect(stdout.split("\n")[0]).toBe("Usage: holdfast track <command> [options]");
  for (const name of ["start", "phase", "remind", "complete"]) expect(stdout).toMatch(new RegExp(`\n  track ${name} `));
});
