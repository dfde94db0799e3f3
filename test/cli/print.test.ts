import { describe, expect, it } from "vitest";
import type { Overview } from "../../src/app/queries/overview.ts";
import type { StatusReply } from "../../src/app/runs/reply.ts";
import { printLint, printRuns, printWorkflows } from "../../src/cli/print/print-lists.ts";
import { printRefusal } from "../../src/cli/print/print-refusal.ts";
import { printOverview, printReply, printWhere } from "../../src/cli/print/print-status.ts";
import { beside, bothEnds, clip, pad, table, widthOf, wrap } from "../../src/cli/terminal/layout.ts";
import { createPaint } from "../../src/cli/terminal/paint.ts";
import { revealed, sanitize } from "../../src/cli/terminal/sanitize.ts";
import { duration } from "../../src/cli/terminal/wording.ts";

const piped = createPaint({ colours: false, columns: null });
const terminal = createPaint({ colours: false, columns: 80 });

describe("a text on a terminal", () => {
  it("is as wide as it looks, whatever its script and its colours", () => {
    expect(widthOf("plain")).toBe(5);
    expect(widthOf("\u001b[1mbold\u001b[22m")).toBe(4);
    expect(widthOf("● ✓ · …")).toBe(7);
    expect(widthOf("設計レビュー")).toBe(12);
    expect(widthOf("ﾚﾋﾞｭｰ")).toBe(5);
    expect(widthOf("한국어")).toBe(6);
    expect(widthOf("🎈")).toBe(2);
    expect(widthOf("e\u0301a")).toBe(2);
  });

  it("is cut between signs, with a mark", () => {
    expect(clip("short", 5)).toBe("short");
    expect(clip("too long", 5)).toBe("too…");
    expect(clip("設計レビュー", 6)).toBe("設計…");
    expect(clip("🎈🎈🎈", 5)).toBe("🎈🎈…");
    expect(clip("x", 0)).toBe("…");
  });

  it("is padded, set apart, wrapped and laid in columns", () => {
    expect(pad("設計", 6)).toBe("設計  ");
    expect(bothEnds("left", "right", 14)).toBe("left     right");
    expect(bothEnds("left", "right", 11)).toBeNull();
    expect(wrap(["aa", "bb", "cc"], { columns: 8, indent: "  " })).toEqual(["  aa bb", "  cc"]);
    expect(wrap(["\u001b[1maa\u001b[22m", "bb"], { columns: 7, indent: "  " })).toHaveLength(1);
    expect(beside("name  ", "one two three", 14)).toBe("name  one two\n      three\n");
    expect(beside("a name that is far too wide  ", "one two", 30)).toBe("a name that is far too wide  one\n    two\n");
    expect(
      table([
        ["a", "設計", "x"],
        ["bbb", "c", "y"],
      ]),
    ).toBe("  a    設計  x\n  bbb  c     y\n");
    expect(table([["a wide cell", "one two three"]], { edge: 24 })).toBe("  a wide cell\n      one two three\n");
  });
});

it("a text from outside cannot steer the terminal, and hides nothing from whoever trusts it", () => {
  expect(sanitize({ a: ["x\u001b[31my\u0007", 1, null], b: "tab\tline\n\u202eturned" })).toEqual({
    a: ["xy", 1, null],
    b: "tab\tline\nturned",
  });
  expect(revealed("rm -rf /\u001b[2K\rls")).toBe("rm -rf /\\u{1b}[2K\\u{d}ls");
});

it("a time span reads in two parts at most", () => {
  const from = "2026-01-31T12:00:00.000Z";
  expect(duration(from, "2026-01-31T12:00:59.999Z")).toBe("59 s");
  expect(duration(from, "2026-01-31T12:59:59.000Z")).toBe("59 min");
  expect(duration(from, "2026-01-31T13:31:00.000Z")).toBe("1 h 31 min");
  expect(duration(from, "2026-02-03T15:00:00.000Z")).toBe("3 d 3 h");
  expect(duration(from, "2026-01-31T11:00:00.000Z")).toBe("0 s");
});

const status: StatusReply = {
  runId: "feature-20260131_120000-ab12",
  workflow: "feature",
  status: "running",
  step: "build",
  stepType: "loop",
  phase: { current: 3, total: 5, name: "build", status: "in_progress" },
  agent: null,
  delegate: false,
  instructions: "Implement it",
  progress: { currentStep: 3, totalSteps: 5, completedTasks: 1, totalTasks: 3 },
  task: {
    id: "t2",
    title: "Settings toggle",
    index: 1,
    total: 3,
    subStep: "implement",
    subStepIndex: 0,
    totalSubSteps: 2,
  },
  summary: "Add dark mode",
  artefacts: [],
  token: "build/t2/implement#1",
};

const overview: Overview = {
  status,
  visitStatus: "running",
  startedAt: "2026-01-31T12:00:00.000Z",
  until: "2026-01-31T13:31:00.000Z",
  steps: [
    { id: "research", status: "done", visits: 1, tasks: null },
    { id: "plan", status: "done", visits: 2, tasks: null },
    { id: "build", status: "open", visits: 1, tasks: "2/3" },
    { id: "polish", status: "ahead", visits: 0, tasks: null },
    { id: "ship", status: "ahead", visits: 0, tasks: null },
  ],
  gates: ["npm test"],
  submission: null,
  approvedBy: null,
  budget: "4 of 12 turns",
  runBudget: null,
  used: null,
  contextActionDue: null,
  contextActionOpen: null,
  liveSessions: 1,
  failedTasks: [],
  skippedTasks: [],
};

describe("the status", () => {
  it("shows a run at one glance", () => {
    expect(printOverview(overview, createPaint({ colours: false, columns: 120 }))).toBe(
      [
        'feature · "Add dark mode"                                                       running · 1 h 31 min',
        "  ✓ research    ✓ plan (2 visits)    ● build 2/3    ○ polish    ○ ship",
        "  ● build · task 2/3 Settings toggle · implement (1/2)                    visit build/t2/implement#1",
        "     gate: npm test        budget: 4 of 12 turns",
        "  Next: the agent works on this, then advances.",
        "  Run:  feature-20260131_120000-ab12",
        "",
      ].join("\n"),
    );
  });

  it("shows of what was submitted no more than fits, whether or not it has spaces", () => {
    const shown = (submitted: string) =>
      printOverview({ ...overview, submission: { submitted } }, terminal).split("  The agent submitted:\n")[1];
    const more = "    (shortened; holdfast log --json has more)\n";
    expect(shown("x".repeat(3_000))).toContain(`    | ${"x".repeat(73)}…\n${more}`);
    expect(shown(`${"a word ".repeat(20)}\nand the end`)).not.toContain("shortened");
  });

  it("lets the title give way on a narrow terminal, and never the token", () => {
    const task = { ...status.task, title: "A toggle in the settings that follows the system" } as StatusReply["task"];
    const lines = printOverview({ ...overview, status: { ...status, task } }, terminal).split("\n");
    expect(lines[2]).toBe("  ● build · task 2/3 A toggle in the settings that follows th… · implement (1/2)");
    expect(lines[3]).toBe("     visit build/t2/implement#1");
  });

  it("says what comes next, whatever the run waits for", () => {
    const nextOf = (given: Partial<StatusReply>, due: string | null = null) => {
      const shown = { ...status, ...given };
      const next = { ...overview, contextActionDue: due, status: shown, visitStatus: shown.status };
      return /Next: (.*)\n/.exec(printOverview(next, piped))?.[1];
    };
    expect(nextOf({})).toBe("the agent works on this, then advances.");
    expect(nextOf({}, "clear")).toBe("the agent is asked to run /clear first.");
    expect(nextOf({ status: "waiting" })).toBe("a person runs holdfast approve or holdfast reject --reason ...");
    expect(nextOf({ status: "review" })).toBe("a person runs holdfast decide <continue|pivot|escalate|abandon>.");
    expect(nextOf({ status: "paused" })).toBe("a person runs holdfast resume.");
    expect(nextOf({ status: "complete", token: null })).toBe("nothing; the run is complete.");
    expect(nextOf({ status: "failed", token: null, instructions: "Workflow failed at build: no" })).toBe(
      "nothing. Workflow failed at build: no",
    );
  });

  it("says when the workflow's file has changed", () => {
    expect(printOverview({ ...overview, status: { ...status, driftedTemplate: true } }, piped)).toContain(
      "  The workflow file has changed since this run started; holdfast adopt switches to the new version.\n",
    );
  });
});

it("an agent gets its progress and its instructions, or the context action alone", () => {
  expect(printReply(status, piped)).toBe(
    "step 3/5 build · task 2/3 · implement   visit build/t2/implement#1\n\nImplement it\n",
  );
  const message = "Please run `/compact` first, then call workflow_status again.";
  expect(printReply({ contextAction: "/compact", message, runId: status.runId, token: "a#1" }, piped)).toBe(
    `${message}\n`,
  );
  const warning = "continued 3 times in a row; after 5 it must pivot, escalate or be abandoned";
  expect(printWhere({ ...status, warning }, piped)).toBe(
    `feature-20260131_120000-ab12  running  step 3/5 build · task 2/3 · implement\nwarning: ${warning}\n`,
  );
});

it("lists stay inside the terminal and are whole elsewhere", () => {
  const row = {
    name: "planning",
    origin: "built-in",
    description: "Turn an idea into a plan that others can build from, in six phases from research to review",
    steps: 1,
    shadows: false,
    extends: [],
    valid: true,
  } as const;
  expect(printWorkflows([row], piped)).toBe(`planning  ${row.description} (1 step, built-in)\n`);
  expect(printWorkflows([row], terminal)).toBe(
    [
      "planning  Turn an idea into a plan that others can build from, in six phases",
      "          from research to review (1 step, built-in)",
      "",
    ].join("\n"),
  );
  const run = {
    ...status,
    summary: "x".repeat(60),
    worktree: null,
    startedAt: overview.startedAt,
    updatedAt: overview.until,
  };
  expect(printRuns({ runs: [run], damaged: [] }, piped)).toContain("x".repeat(60));
  expect(widthOf(printRuns({ runs: [run], damaged: [] }, terminal).trimEnd())).toBe(80);
});

it("lint tells problems from warnings, and says when there are none", () => {
  const problem = {
    severity: "warning",
    path: "steps[0]",
    message: "is never reached",
    position: { line: 3, column: 5 },
  } as const;
  expect(printLint({ files: [{ file: "a.yaml", problems: [problem] }] }, piped)).toBe(
    "a.yaml\n  3:5  steps[0]  warning: is never reached\n0 problems, 1 warning\n",
  );
  expect(printLint({ files: [{ file: "a.yaml", problems: [] }] }, piped)).toBe("1 file, no problems\n");
  expect(printLint({ files: [] }, piped)).toBe("no workflows in .holdfast/workflows to check\n");
});

it("a refusal keeps its code with its first line, and its facts below each other", async () => {
  expect(await printRefusal({ code: "step-stale", sent: "a#1", spent: false, open: ["b#1", "c#1"] }, piped)).toBe(
    [
      "refused: that is no open visit of this run (step-stale)",
      "  You sent   a#1",
      "  Current    b#1, c#1",
      "  Next       get the current work with `holdfast next`, then advance with its token",
      "",
    ].join("\n"),
  );
  const problems = ["1:1  steps  must have at least one step", "2:1  name  must not be empty"];
  expect(await printRefusal({ code: "template-invalid", file: "a.yaml", problems }, piped)).toBe(
    [
      "refused: a.yaml is not a valid workflow: (template-invalid)",
      "  1:1  steps  must have at least one step",
      "  2:1  name  must not be empty",
      "  Next   fix it, then check it with: holdfast lint a.yaml",
      "",
    ].join("\n"),
  );
});
