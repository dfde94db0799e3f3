import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compactMessage, createProject, type Project, twoSteps, whole } from "./program.ts";

const ownMessage = compactMessage.replace("call workflow_status again", "run `holdfast next` again");

function projectWith(text: string, name = "flow"): Project {
  const project = createProject();
  project.write(`.holdfast/workflows/${name}.yaml`, text);
  return project;
}

it.concurrent("a run goes from its start to its end by hand", async () => {
  const project = projectWith(whole, "whole");
  const { holdfast } = project;

  const started = await holdfast(["start", "whole", "--summary", "  Add dark mode  ", "--var", "depth=3"]);
  expect({ ...started, stdout: started.stdout.split("\n") }).toEqual({
    code: 0,
    stderr: "",
    stdout: [
      expect.stringMatching(/^run whole-\d{8}_\d{6}-[a-z0-9]{4}$/),
      "step 1/5 plan   visit plan#1",
      "",
      "Plan it",
      "",
      "When this is done, run `holdfast advance --output <what is asked for above, or a short summary>`.",
      "",
      "Variables:",
      "  depth: 3",
      "",
    ],
  });
  const [run = ""] = (await project.json(["runs"])).value.runs.map((row: { runId: string }) => row.runId);
  expect(run).toMatch(/^whole-\d{8}_\d{6}-[a-z0-9]{4}$/);

  project.write("notes.md", "the plan, from a file");
  const planned = await holdfast(["advance", "--output-file", "notes.md", "--artifact", "plan_path=notes.md"]);
  expect(planned.stdout).toContain("step 2/5 review   visit review#1\n\nReview the plan, from a file\n");
  expect(planned.stdout).toContain("or a short summary> --outcome <approved|needs_changes>`.\n");

  expect(await holdfast(["advance"])).toEqual({
    code: 1,
    stdout: "",
    stderr: [
      'refused: the step "review" needs an outcome: approved, needs_changes (outcome-needed)',
      "  Next   advance again with --outcome <name>",
      "",
    ].join("\n"),
  });

  const reviewed = await holdfast(["advance", "-", "--outcome", "approved", "--token", "review#1"], {
    input: "good, go on",
  });
  expect(reviewed.stdout).toContain("step 3/5 build   visit build#1\n");
  expect(reviewed.stdout).toContain('Set the tasks of the loop "build"');

  const tasks = await holdfast(["tasks", "build"], { input: "Theme tokens\n\n  Settings toggle  \r\n" });
  expect(tasks.stdout).toBe(`${ownMessage}\n`);
  const next = await holdfast(["next"]);
  expect(next.stdout).toContain(
    "step 3/5 build · task 1/2 · implement   visit build/t1/implement#1\n\nImplement Theme tokens\n",
  );

  const failed = await holdfast(["fail", "--reason", "the token file is locked"]);
  expect(failed.stdout).toContain("step 3/5 build · task 1/2 · implement   visit build/t1/implement#1~2\n");
  expect(failed.stdout).toContain("> the token file is locked\n");

  expect((await holdfast(["status"])).stdout).toMatch(
    new RegExp(
      [
        String.raw`^whole · "Add dark mode" {30,}running · \d+ (s|min)`,
        "  ✓ plan    ✓ review    ● build 1/2    ○ polish    ○ ship",
        String.raw`  ● build · task 1/2 Theme tokens · implement \(1/2\)`,
        "     visit build/t1/implement#1~2",
        "  Next: the agent works on this, then advances.",
        `  Run:  ${run}\n$`,
      ].join("\n"),
    ),
  );

  await holdfast(["advance", "--output", "tokens are there"]);
  const again = await holdfast(["advance", "--output", "other words", "--token", "build/t1/implement#1~2"]);
  expect(again).toEqual({
    code: 1,
    stdout: "",
    stderr: [
      "refused: that visit has ended with another answer (step-stale)",
      "  You sent   build/t1/implement#1~2",
      "  Current    build/t1/verify#1",
      "  Next       get the current work with `holdfast next`, then advance with its token",
      "",
    ].join("\n"),
  });
  const replayed = await holdfast(["advance", "--output", "tokens are there", "--token", "build/t1/implement#1~2"]);
  expect(replayed.code).toBe(0);
  expect(replayed.stdout).toMatch(
    /^\(this advance was already made; nothing changed\)\nstep 3\/5 build · task 1\/2 · verify /,
  );

  for (const output of ["verified", "toggle", "verified too"]) {
    await holdfast(["advance", "--output", output]);
    await holdfast(["next"]);
  }
  expect((await holdfast(["advance"])).stdout).toContain("step 4/5 polish · iteration 2/2   visit polish/2#1\n");
  await holdfast(["advance"]);
  expect(await holdfast(["advance", "--output", "released"])).toEqual({
    code: 1,
    stdout: "",
    stderr: [
      "refused: this step needs a person's approval (approval-needed)",
      "  Next   a person must run `holdfast approve` (or `holdfast reject --reason ...`); then advance again",
      "",
    ].join("\n"),
  });
  const waiting = (await holdfast(["status"])).stdout;
  expect(waiting).toMatch(/ {30}waiting · \d+ (s|min)\n/);
  expect(waiting).toContain("  ● ship                                                            visit ship#1\n");
  expect(waiting).toContain("     gate: a person's approval        budget: 0 of 12 turns\n");
  expect(waiting).toContain("  Next: a person runs holdfast approve or holdfast reject --reason ...\n");

  writeFileSync(join(project.home, "secret.txt"), "0123456789abcdef0123456789abcdef\n");
  project.write("../home/.config/holdfast/secret", "0123456789abcdef0123456789abcdef\n");
  const ann = ["--as", "Ann", "--secret-file", join(project.home, "secret.txt")];
  expect((await holdfast(["reject", "--reason", "not on a Friday", ...ann])).stdout).toBe(
    "rejected: step 5/5 ship\n" +
      "The agent submitted:\n  | released\n" +
      "Next: The agent gets your reason with its instructions, and asks again when it has changed the work. " +
      `If it has stopped, tell it to continue.\nRun:  ${run}\n`,
  );
  expect((await holdfast(["next"])).stdout).toContain("> not on a Friday\n");
  await holdfast(["advance", "--output", "released"]);
  expect((await holdfast(["approve", "--reason", "now it is Monday", ...ann])).stdout).toBe(
    "approved: step 5/5 ship\n" +
      "The agent submitted:\n  | released\n" +
      "Next: The agent can advance now, which completes the run. " +
      `If it has stopped, tell it to continue.\nRun:  ${run}\n`,
  );
  expect((await holdfast(["advance", "--output", "released"])).stdout).toBe(
    "step 5/5 ship   complete\n\nWorkflow complete.\n",
  );
  expect((await holdfast(["advance", "--run", run])).stderr).toBe(
    "refused: the run is complete; this output was not recorded (run-ended)\n" +
      "  Next   start a new run with `holdfast start`\n",
  );
  const log = (await holdfast(["log", "--run", run])).stdout;
  expect(log.split("\n")[0]).toMatch(
    /^ {4}1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}run-started {16}workflow=whole summary=Add dark mode/,
  );
  expect(log).toContain("approval-given             token=ship#1 by=Ann reason=now it is Monday\n");
});

it.concurrent("every command answers a program with one JSON value", async () => {
  const project = projectWith(whole, "whole");
  const { json } = project;

  const { workflows } = (await json(["list"])).value;
  expect(workflows.find((row: { name: string }) => row.name === "whole")).toEqual({
    name: "whole",
    origin: "project",
    description: "A plan, a review, a loop, a polish and a release",
    steps: 5,
    shadows: false,
    extends: [],
    valid: true,
  });
  expect(await json(["lint"])).toEqual({
    code: 0,
    value: { ok: true, files: [{ file: ".holdfast/workflows/whole.yaml", problems: [] }] },
  });
  expect((await json(["schema", "event"])).value.title).toBe("Holdfast event");
  expect((await json(["graph", "whole"])).value.moves[1]).toMatchObject({
    from: "review",
    to: "build",
    outcome: "approved",
  });

  const started = await json(["start", "whole", "--summary", "暗いテーマ", "--session", "s1"]);
  const { runId } = started.value;
  expect(started).toEqual({
    code: 0,
    value: {
      runId,
      workflow: "whole",
      status: "running",
      step: "plan",
      stepType: "action",
      phase: { current: 1, total: 5, name: "plan", status: "in_progress" },
      agent: null,
      delegate: false,
      instructions:
        "Plan it\n\nWhen this is done, run `holdfast advance --output <what is asked for above, or a short summary>`.",
      progress: { currentStep: 1, totalSteps: 5 },
      summary: "暗いテーマ",
      artefacts: [],
      token: "plan#1",
      rules: "Variables:\n  depth: 1",
    },
  });
  const { rules: _rules, ...shown } = started.value;
  expect(await json(["status"])).toEqual({ code: 0, value: shown });
  expect(await json(["next", "--run-id", runId])).toEqual(started);

  expect((await json(["advance", "--output", "a plan"])).value.outcomes).toEqual(["approved", "needs_changes"]);
  expect(await json(["advance", "--outcome", "aproved"])).toEqual({
    code: 1,
    value: {
      error: {
        code: "outcome-unknown",
        message: '"aproved" is not one of this step\'s outcomes: approved, needs_changes',
        next: "advance again with --outcome <name>",
      },
    },
  });
  expect((await json(["advance", "--outcome", "needs_changes"])).value.token).toBe("plan#2");
  await json(["advance"]);
  await json(["advance", "--outcome", "approved"]);

  const list = '[{"id": "a", "title": "Theme"}, {"id": "b", "title": "Toggle", "description": "in the settings"}]';
  expect(await json(["tasks", "build"], { input: list })).toEqual({
    code: 0,
    value: {
      contextAction: "/compact",
      message: ownMessage,
      runId,
      token: "build/a/implement#1",
    },
  });
  expect((await json(["fail", "--reason", "no"])).value.token).toBe("build/a/implement#1~2");

  const log = (await json(["log"])).value;
  expect(log.runId).toBe(runId);
  expect(log.status).toBe("running");
  expect(log.events[0].type).toBe("run-started");
  expect((await json(["log", "--after", "5"])).value.events[0].seq).toBe(6);
  expect((await json(["show", "1"])).value).toEqual(log.events[0]);
  expect(await json(["show", "99"])).toEqual({
    code: 1,
    value: {
      error: {
        code: "event-unknown",
        message: "there is no event 99",
        next: `use a number from 1 to ${log.events.length}; \`holdfast log\` lists the events`,
      },
    },
  });
  expect((await json(["runs", "--live"])).value.runs).toMatchObject([{ runId, status: "running", step: "build" }]);

  expect((await json(["pause", "--reason", "lunch"])).value.status).toBe("paused");
  expect((await json(["advance"])).value.error).toEqual({
    code: "run-paused",
    message: "the run is paused: lunch",
    next: "a person must run: holdfast resume",
  });
  expect((await json(["next"])).value.instructions).toContain('The run is paused ("lunch"). Do not work on it');
  expect((await json(["resume"])).value.status).toBe("running");
  expect((await json(["adopt", runId])).value.runId).toBe(runId);
  expect((await json(["repair", runId])).value).toMatchObject({ runId, repaired: false, lost: 0, torn: 0 });

  expect((await json(["rm", runId])).value.error.code).toBe("run-live");
  expect((await json(["abort", "--reason", "enough"])).value.status).toBe("aborted");
  expect((await json(["rm", runId])).value.error.code).toBe("confirmation-needed");
  expect((await json(["gc", "--days", "1", "--yes"])).value).toEqual({ removed: [] });
  expect((await json(["rm", "--run", runId, "--yes"])).value).toEqual({ removed: [runId] });
  expect((await json(["runs"])).value).toEqual({ runs: [], damaged: [] });
});

it.concurrent("what only a person may do is refused where nobody sits at a terminal", async () => {
  const project = projectWith(twoSteps);
  await project.holdfast(["start", "flow"]);
  const before = project.journal();
  const calls = [
    ["trusting a workflow", "trust", "flow"],
    ["approving", "approve"],
    ["rejecting", "reject", "--reason", "no"],
    ["deciding how a run continues", "decide", "continue"],
    ["moving a run", "goto", "plan", "--reason", "again"],
    ["resetting a run", "reset"],
  ];
  const answers = await Promise.all(calls.map(([, ...words]) => project.json(words)));
  expect(answers).toEqual(
    calls.map(([what]) => ({
      code: 1,
      value: {
        error: {
          code: "person-needed",
          message: `${what} is for a person: this is not a terminal`,
          next: "a person must run this command in a terminal of their own",
        },
      },
    })),
  );
  expect(project.journal()).toBe(before);
});

it.concurrent("a person's commands work for a script that knows the secret", async () => {
  const project = projectWith(twoSteps);
  project.write("../home/.config/holdfast/secret", "0123456789abcdef0123456789abcdef\n");
  project.write("key", "0123456789abcdef0123456789abcdef");
  project.write("wrong", "0123456789abcdef0123456789abcdee");
  const ann = ["--as", "Ann", "--secret-file", "key"];
  await project.holdfast(["start", "flow", "--summary", "S"]);
  const moved = await project.holdfast(["goto", "ship", "--reason", "the plan is old", ...ann]);
  expect(moved.stdout).toMatch(/^two-steps-\S+ {2}running {2}step 2\/2 ship\n$/);
  expect((await project.json(["log"])).value.events.at(-3)).toMatchObject({
    type: "run-redirected",
    by: "Ann",
    reason: "the plan is old",
  });
  const anew = await project.json(["reset", ...ann]);
  expect(anew.value).toMatchObject({ step: "plan", summary: "S" });
  expect((await project.json(["runs"])).value.runs.map((row: { status: string }) => row.status).toSorted()).toEqual([
    "aborted",
    "running",
  ]);
  expect((await project.holdfast(["trust", "flow", ...ann])).stdout).toBe("flow is trusted; it runs no commands\n");
  project.write(
    ".holdfast/workflows/asks.yaml",
    "name: asks\ndescription: d\nvariables: { check: { type: command, required: true } }\n" +
      "steps: [{ id: a, type: action, instructions: x, gate: [{ command: check }] }]\n",
  );
  expect((await project.holdfast(["trust", "asks", ...ann])).stdout).toBe(
    "asks is trusted\n  gate of a, at most 10m, from check: given at the start\n",
  );
  expect(
    (await project.json(["goto", "plan", "--reason", "x", "--as", "Ann", "--secret-file", "wrong"])).value.error,
  ).toMatchObject({
    code: "person-needed",
    message: "moving a run is for a person: the secret file does not contain this user's secret",
  });
});

it.concurrent("looking takes nothing away from the agent, and next hands the context action out once", async () => {
  const project = projectWith(whole, "whole");
  project.write("../home/.config/holdfast/secret", "0123456789abcdef0123456789abcdef\n");
  project.write("key", "0123456789abcdef0123456789abcdef");
  await project.holdfast(["start", "whole"]);
  await project.holdfast(["tasks", "build"], { input: "One" });
  // A person's move enters the visit without handing anything out.
  await project.holdfast(["goto", "build", "--reason", "skip the plan", "--as", "Ann", "--secret-file", "key"]);
  const before = project.journal();
  const looks = [["status"], ["status", "--json"], ["runs"], ["log"], ["show", "1"], ["graph", "whole"]];
  const [shown] = await Promise.all(looks.map((words) => project.holdfast(words)));
  expect(shown?.stdout).toContain("     due: /compact\n");
  expect(shown?.stdout).toContain("  Next: the agent is asked to run /compact first.\n");
  expect(project.journal()).toBe(before);

  expect((await project.json(["next"])).value.contextAction).toBe("/compact");
  expect((await project.json(["next"])).value.token).toBe("build/t1/implement#1");
  expect((await project.holdfast(["status"])).stdout).not.toContain("due:");
});

it.concurrent("a session is bound to the run that it started", async () => {
  const project = projectWith(twoSteps, "flow");
  project.write(".holdfast/workflows/other.yaml", twoSteps.replace("two-steps", "other"));
  const mine = (await project.json(["start", "flow", "--session", "mine"])).value.runId;
  const theirs = (await project.json(["start", "other"], { env: { HOLDFAST_SESSION: "theirs" } })).value.runId;
  expect((await project.json(["status", "--session", "mine"])).value.runId).toBe(mine);
  expect((await project.json(["status"], { env: { HOLDFAST_SESSION: "theirs" } })).value.runId).toBe(theirs);
  const { code, stderr } = await project.holdfast(["status"]);
  expect(code).toBe(1);
  expect(stderr).toBe(
    [
      "refused: several runs are live (run-ambiguous)",
      `  Runs   ${[mine, theirs].toSorted().join("\n         ")}`,
      "  Next   say which one with --run <id>",
      "",
    ].join("\n"),
  );
  expect((await project.json(["status", "--run", theirs])).value.runId).toBe(theirs);
});

it.concurrent("start shows the live run again, and --new starts another", async () => {
  const project = projectWith(twoSteps);
  const first = (await project.json(["start", "flow"])).value.runId;
  expect((await project.json(["start", "flow"])).value.runId).toBe(first);
  expect((await project.json(["start", "flow", "--new"])).value.runId).not.toBe(first);
});

it.concurrent("folders, file names, summaries and tasks may be in any script", async () => {
  const project = createProject("プロジェクト ünïcode 🎈");
  project.write(".holdfast/workflows/設計.yaml", whole.replace("name: whole", "name: 設計"));
  project.write("タスク.txt", "テーマ\n切り替え\n");
  await project.holdfast(["start", "設計", "--summary", "暗いテーマを加える 🎈"]);
  await project.holdfast(["tasks", "build", "--file", "タスク.txt"]);
  await project.holdfast(["advance", "--output", "計画 ✓"]);
  await project.holdfast(["advance", "--outcome", "approved"]);
  const { stdout } = await project.holdfast(["status"]);
  expect(stdout).toMatch(/^設計 · "暗いテーマを加える 🎈" {20,}running · \d+ (s|min)\n/);
  expect(stdout).toContain("  ● build · task 1/2 テーマ · implement (1/2)         visit build/t1/implement#1\n");
  expect((await project.json(["show", "4"])).value.output).toBe("計画 ✓");
});

it.concurrent("tasks come from a file or from standard input, and only [] skips the loop", async () => {
  const project = projectWith(whole, "whole");
  project.write("tasks.json", '\ufeff [{"id": "x", "title": "One"}]');
  await project.holdfast(["start", "whole"]);
  expect((await project.json(["tasks", "build", "--file", "tasks.json"])).code).toBe(0);
  expect((await project.json(["tasks", "build"], { input: "" })).value.error).toEqual({
    code: "usage",
    message: "the input has no tasks",
    next: "send at least one, or [] to skip the loop",
  });
  expect((await project.json(["tasks", "build"], { input: "[]" })).code).toBe(0);
  expect((await project.json(["tasks", "nope"], { input: "One" })).value.error).toEqual({
    code: "loop-unknown",
    message: '"nope" is not a loop of this workflow',
    next: "use one of build",
  });
  const twice = '[{"id": "x", "title": "One"}, {"id": "x", "title": "Two"}]';
  expect((await project.json(["tasks", "build"], { input: twice })).value.error.code).toBe("task-invalid");
  const events = (await project.json(["log"])).value.events.filter(
    (event: { type: string }) => event.type === "tasks-set",
  );
  expect(events.map((event: { tasks: unknown }) => event.tasks)).toEqual([[{ id: "x", title: "One" }], []]);
});

it.concurrent("a failed gate shows the end of its output", async () => {
  const project = projectWith(`
name: gated
description: Gated
steps:
  - { id: test, type: action, instructions: Test, gate: [{ run: "echo one; printf '\\\\033[31mtwo\\\\033[0m\\\\n'; exit 3" }] }
`);
  await project.holdfast(["start", "flow", "--trust"]);
  expect(await project.holdfast(["advance", "--output", "done"])).toEqual({
    code: 1,
    stdout: "",
    stderr: [
      "refused: the gate failed: echo one; printf '\\033[31mtwo\\033[0m\\n'; exit 3 (exit 3) (gate-failed)",
      "  | one",
      "  | two",
      "  Next   fix the failure above, then advance again",
      "",
    ].join("\n"),
  });
  expect((await project.holdfast(["log"])).stdout).toContain("failed (exit 3)\n");
});

it.concurrent("an untrusted workflow is refused at its start, with its commands and the line to type", async () => {
  const project = projectWith(`
name: gated
description: Gated
steps:
  - { id: test, type: action, instructions: Test, gate: [{ run: npm test }] }
`);
  expect(await project.holdfast(["start", "flow"])).toEqual({
    code: 1,
    stdout: "",
    stderr: [
      'refused: the workflow "flow" runs commands that nobody has trusted yet: (template-untrusted)',
      "  gate of test, at most 10m: npm test",
      "  Next   a person must read them, then run: holdfast trust flow",
      "",
    ].join("\n"),
  });
  expect((await project.holdfast(["start", "flow", "--trust"], { env: { CLAUDECODE: "1" } })).stderr).toContain(
    "refused: trusting a workflow is for a person: this is an agent's shell (CLAUDECODE is set) (person-needed)\n",
  );
});

it.concurrent("lint shows unknown and misspelt placeholders together with unknown keys", async () => {
  const project = createProject();
  const misspelt = (text: string, meant: string) =>
    `${text} is not a placeholder and stays as it is; did you mean ${meant}? For plain text, write {${text}`;
  project.write(
    "flow.yaml",
    `name: flow
description: A flow
variabels: { ticket: "" }
key_reminders: ["Ticket {vars.tikcet} of {run.sumary}, never {task.title}, always {vars.ticket}"]
lops:
  build:
    - { id: code, instructions: "Build {tsk.title}, not {task.nope}" }
steps:
  - { id: build, type: loop }
  - id: ship
    type: action
    instruction: Ship {summry} for {ticket} of {outputs.biuld}, {project-root} and {{summry}, but {anything} else
`,
  );
  expect(await project.holdfast(["lint", "flow.yaml"])).toEqual({
    code: 1,
    stdout: [
      "flow.yaml",
      '  3:1    variabels             unknown key "variabels"; did you mean variables?',
      '  5:1    lops                  unknown key "lops"; did you mean loops?',
      "  7:57   lops.build[0].instructions  {task.nope} is unknown; a task has id, title, description",
      '  12:5   steps[1].instruction  unknown key "instruction"; did you mean instructions?',
      "  12:48  steps[1].instruction  {outputs.biuld} is unknown; did you mean build?",
      "  4:25   key_reminders[0]      warning: {vars.tikcet} is unknown; did you mean ticket?",
      "  4:42   key_reminders[0]      warning: {run.sumary} is unknown; did you mean summary?",
      "  4:62   key_reminders[0]      warning: {task.title} is not filled in reminders",
      `  7:40   lops.build[0].instructions  warning: ${misspelt("{tsk.title}", "{task.title}")}`,
      `  12:23  steps[1].instruction  warning: ${misspelt("{summry}", "{run.summary}")}`,
      `  12:36  steps[1].instruction  warning: ${misspelt("{ticket}", "{vars.ticket}")}`,
      `  12:65  steps[1].instruction  warning: ${misspelt("{project-root}", "{project_root}")}`,
      "5 problems, 7 warnings",
      "",
    ].join("\n"),
    stderr: "",
  });
});

it.concurrent("lint lists every problem with its place and exits 1", async () => {
  const project = createProject();
  project.write(
    "flow.yaml",
    [
      "name: flow",
      "description: A flow with three mistakes",
      "steps:",
      "  - { id: plan, type: action, instructions: Plan }",
      "  - { id: build, type: action, instructions: Build }",
      "  - id: check",
      "    type: action",
      "    instructions: Check",
      "    context: shrink",
      "    artefact: true",
      "  - id: ship",
      "    type: action",
      "    instructions: Ship",
      "    outcomes: { approved: biuld }",
      "",
    ].join("\n"),
  );
  expect(await project.holdfast(["lint", "flow.yaml"])).toEqual({
    code: 1,
    stderr: "",
    stdout: [
      "flow.yaml",
      '  9:14   steps[2].context   "shrink" is not a context action; use compact or clear',
      '  10:5   steps[2].artefact  unknown key "artefact"; did you mean artefacts?',
      '  14:27  steps[3].outcomes.approved  leads to "biuld", which is not a step; did you mean build?',
      "3 problems",
      "",
    ].join("\n"),
  });
  const { code, value } = await project.json(["lint", "flow.yaml"]);
  expect(code).toBe(1);
  expect(value.ok).toBe(false);
  expect(await project.holdfast(["lint"])).toEqual({
    code: 0,
    stdout: "no workflows in .holdfast/workflows to check\n",
    stderr: "",
  });
});

it.concurrent("list, graph and schema read well by hand", async () => {
  const project = projectWith(whole, "whole");
  project.write(".holdfast/workflows/bugfix.yaml", twoSteps);
  project.write(".holdfast/workflows/broken.yaml", "name: broken\n");
  const { stdout } = await project.holdfast(["list"]);
  expect(stdout).toContain("broken           has problems; run holdfast lint (project)\n");
  expect(stdout).toContain("bugfix           Two steps (2 steps, project, overrides the built-in one)\n");
  expect(stdout).toContain(
    "feature          Build a feature, from a request to reviewed and documented code (9 steps, built-in)\n",
  );
  expect((await project.holdfast(["graph", "whole"])).stdout).toBe(
    [
      "whole",
      "  plan    action    → review",
      "  review  action    approved → build, needs_changes → plan",
      "  build   loop      → polish",
      "    - implement; /compact first",
      "    - verify",
      "  polish  ralph     → ship",
      "    - up to 2 times",
      "  ship    action    → complete",
      "    - a person approves",
      "",
    ].join("\n"),
  );
  const chart = (await project.holdfast(["graph", "whole", "--mermaid"])).stdout;
  expect(chart).toContain('  s1 -->|"approved"| s2\n');
  expect(chart).toContain('  s2["build (loop)<br/>implement [/compact]<br/>verify"]\n');
  expect(chart).toContain('  s4["ship [approval]"]\n');
  expect(JSON.parse((await project.holdfast(["schema"])).stdout).title).toBe("Holdfast workflow");
});

it.concurrent("what a text contains cannot steer the terminal, and show gives it whole", async () => {
  const project = projectWith(twoSteps);
  await project.holdfast(["start", "flow"]);
  const evil = "one\u001b[2J\u001b]0;title\u0007\u001b[1;31mtwo\u001b[0m\rthree\u202e";
  const { stdout } = await project.holdfast(["advance", "--output", evil]);
  expect(stdout).toContain("Ship what was planned: one[2J]0;titletwothree\n");
  expect((await project.holdfast(["log"])).stdout).toContain("output=one[2J]0;titletwothree\n");
  expect(JSON.parse((await project.holdfast(["show", "3"])).stdout).output).toBe(evil);
  expect((await project.json(["show", "3"])).value.output).toBe(evil);
});

it.concurrent("prints no colours where no terminal is, whatever the terminal is called", async () => {
  const project = projectWith(whole, "whole");
  await project.holdfast(["start", "whole"]);
  const outputs = await Promise.all(
    [["status"], ["log"], ["advance", "--token", "x"], ["nope"]].map((words) =>
      project.bundled(words, { env: { TERM: "xterm-256color", COLORTERM: "truecolor" } }),
    ),
  );
  for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain("\u001b");
});
