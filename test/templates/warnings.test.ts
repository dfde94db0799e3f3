import { describe, expect, test } from "vitest";
import { loadTemplate } from "../../src/templates/load.ts";
import { problemText } from "../../src/templates/problem.ts";

const head = "name: feature\ndescription: Build it\n";

/** What is doubted about a workflow that loads. */
function warningsAbout(text: string): string[] {
  const reading = loadTemplate(text);
  expect(reading.ok ? [] : reading.problems.map(problemText)).toEqual([]);
  return reading.warnings.map(problemText);
}

describe("a workflow loads, with a doubt,", () => {
  test("when something has no effect beside the source of a loop's tasks, or the source may be empty", () => {
    const loop = (fields: string) =>
      `${head}loops: { build: [{ id: code, instructions: x }] }\nsteps:\n  - { id: build, type: loop, ${fields} }\n  - { id: end, type: action, instructions: x }\n`;
    expect(warningsAbout(loop("instructions: List them, tasks: { file: a.md }"))).toEqual([
      "5:44  steps[0].instructions  are never shown: Holdfast gets the tasks itself, so no agent is asked for them",
    ]);
    expect(warningsAbout(loop('tasks: { file: "{vars.list}.md" }'))).toEqual([
      "5:45  steps[0].tasks.file  placeholders are not filled here; {vars.list} stays as it is",
    ]);
    expect(warningsAbout(loop('tasks: { run: "cat {vars.list}" }'))).toEqual([
      "5:44  steps[0].tasks.run  placeholders are not filled in commands; use $HOLDFAST_VAR_LIST instead of {vars.list}",
    ]);
    expect(warningsAbout(loop("tasks: { output: end }"))).toEqual([
      '5:47  steps[0].tasks.output  "end" comes later, so it may have no output yet',
    ]);
    expect(warningsAbout(loop("tasks: { file: a.md }"))).toEqual([]);
  });

  test("when a gate waits for a file outside the project, which never counts", () => {
    const step = (gate: string) => `${head}steps: [{ id: plan, type: action, instructions: x, gate: [${gate}] }]\n`;
    const never = (path: string) => [`3:69  steps[0].gate[0].exists  never holds: "${path}" is outside the project`];
    expect(warningsAbout(step("{ exists: ../plan.md }"))).toEqual(never("../plan.md"));
    expect(warningsAbout(step("{ exists: [plan.md, /tmp/*.md] }"))).toEqual(never("/tmp/*.md"));
    expect(warningsAbout(step("{ exists: [plan.md, docs/..md] }"))).toEqual([]);
  });

  test("when no step uses a loop", () => {
    const text = `${head}loops:
  build: [{ id: code, instructions: x }]
  verify: [{ id: check, instructions: x }]
steps:
  - { id: build, type: loop }
`;
    expect(warningsAbout(text)).toEqual(['5:3  loops.verify  no step uses the loop "verify"']);
  });

  test("when no step uses an agent", () => {
    const text = `${head}agents:
  writer: { description: writes }
  reader: { description: reads }
loops: { build: [{ id: code, instructions: x, agent: writer }] }
steps: [{ id: build, type: loop }]
`;
    expect(warningsAbout(text)).toEqual(['5:3  agents.reader  no step uses the agent "reader"']);
  });

  test("when the whole run has less than a visit may use", () => {
    const text = `${head}budget: { turns: 10, cost: 5 }
steps:
  - { id: plan, type: action, instructions: x, budget: { turns: 12, cost: 5, tokens: 9 } }
`;
    expect(warningsAbout(text)).toEqual([
      "5:65  steps[0].budget.turns  is never reached: the budget of the whole run has turns: 10",
    ]);
  });

  test("when instructions are longer than a handoff takes", () => {
    const text = `${head}steps:\n  - { id: plan, type: action, instructions: ${"x".repeat(3_001)} }\n`;
    expect(warningsAbout(text)).toEqual([
      "4:45  steps[0].instructions  has 3,001 characters; above 3,000, a handoff may show only its beginning and its end",
    ]);
    expect(warningsAbout(text.replace("xx", "x"))).toEqual([]);
  });

  test("when the reminders together are longer than a handoff takes", () => {
    const text = `${head}key_reminders: [${Array.from({ length: 9 }, () => "y".repeat(300)).join(", ")}]\nsteps: [{ id: a, type: action, instructions: x }]\n`;
    expect(warningsAbout(text)).toEqual([
      "3:1  key_reminders  have 2,700 characters in all; above 2,500, a handoff may shorten them",
    ]);
  });

  test("when a step that never retries says how often", () => {
    const text = `${head}loops: { build: [{ id: code, instructions: x, max_retries: 2 }] }
steps:
  - { id: build, type: loop, max_retries: 2 }
  - { id: plan, type: action, instructions: x, on_fail: skip, max_retries: 2 }
  - { id: ship, type: action, instructions: x, on_fail: retry, max_retries: 2 }
  - { id: test, type: action, instructions: x, gate: [{ exists: a }], max_retries: 2 }
`;
    expect(warningsAbout(text)).toEqual([
      "5:43  steps[0].max_retries  has no effect without on_fail: retry or go_to, or a gate",
      "6:76  steps[1].max_retries  has no effect without on_fail: retry or go_to, or a gate",
    ]);
  });

  test("when commands cannot tell two variables apart", () => {
    const text = `${head}variables: { foo: lower, Foo: upper, bar: other }\nsteps: [{ id: a, type: action, instructions: x }]\n`;
    expect(warningsAbout(text)).toEqual([
      '3:26  variables.Foo  is HOLDFAST_VAR_FOO for commands, as is "foo"; only one of them arrives',
    ]);
  });

  test("when a command expects a value pasted into it", () => {
    const text = `${head}variables: { branch: main }
loops: { build: [{ id: code, instructions: x, gate: [{ run: "test {task.id}" }] }] }
steps:
  - { id: build, type: loop }
  - { id: plan, type: action, instructions: x, gate: [{ run: "git switch {vars.branch}" }, { exists: a }] }
  - { id: polish, type: ralph, n: 2, instructions: x, until: [{ run: [npm, "{project_root}"] }] }
  - { id: ship, type: action, instructions: x, gate: [{ run: "awk '{print $1}' {{vars.branch}" }] }
`;
    expect(warningsAbout(text)).toEqual([
      "4:61  loops.build[0].gate[0].run  placeholders are not filled in commands; {task.id} stays as it is",
      "7:62  steps[1].gate[0].run  placeholders are not filled in commands; use $HOLDFAST_VAR_BRANCH instead of {vars.branch}",
      "8:70  steps[2].until[0].run  placeholders are not filled in commands; {project_root} stays as it is",
    ]);
  });

  test.each([
    ["{tsk.title}", "{task.title}"],
    ["{Task.id}", "{task.id}"],
    ["{tasks.titel}", "{task.title}"],
    ["{summry}", "{run.summary}"],
    ["{title}", "{task.title}"],
    ["{run_id}", "{run.id}"],
    ["{ticket}", "{vars.ticket}"],
    ["{variables.ticket}", "{vars.ticket}"],
    ["{output.build}", "{outputs.build}"],
    ["{PROJECT_ROOT}", "{project_root}"],
  ])("when %s in its instructions is probably meant to be %s", (text, meant) => {
    const workflow = `${head}variables: { ticket: "" }
loops: { build: [{ id: code, instructions: "Do ${text} now, {${text} not" }] }
steps: [{ id: build, type: loop }]
`;
    expect(warningsAbout(workflow)).toEqual([
      `4:48  loops.build[0].instructions  ${text} is not a placeholder and stays as it is; did you mean ${meant}? For plain text, write {${text}`,
    ]);
  });

  test.each([
    "{id}",
    "{x}",
    "{project_name}",
    "{user.name}",
    "{tasks.length}",
    "{ task.id }",
    "{task}",
    "{a, b}",
    "{}",
  ])("but not when %s is", (text) => {
    expect(warningsAbout(`${head}steps: [{ id: plan, type: action, instructions: "Do ${text} now" }]\n`)).toEqual([]);
  });

  test.each([
    [
      "{?ticket_id}for it{/}",
      "5:49",
      "{?ticket_id} names no value and stays as it is; for plain text, write {{?ticket_id}",
    ],
    ["{?vars.ticket}for it{/}{/}", "5:72", "{/} ends nothing and stays as it is; a part begins with {?name}"],
  ])("when the part %s depends on nothing", (text, position, warned) => {
    const workflow = `${head}variables: { ticket: "" }
steps:
  - { id: plan, type: action, instructions: "Do ${text} now, {{?ticket_id} not" }
`;
    expect(warningsAbout(workflow)).toEqual([`${position}  steps[0].instructions  ${warned}`]);
  });

  test("when a reminder has a placeholder that is not filled there", () => {
    const text = `${head}variables: { ticket: "" }
key_reminders: ["{vars.ticket} {run.id}", "{vars.tikcet} {task.title} {run.request}"]
steps: [{ id: plan, type: action, instructions: x }]
`;
    expect(warningsAbout(text)).toEqual([
      "4:44  key_reminders[1]  {vars.tikcet} is unknown; did you mean ticket?",
      "4:58  key_reminders[1]  {task.title} is not filled in reminders",
      "4:71  key_reminders[1]  {run.request} is not filled in reminders",
    ]);
  });

  test("when no way leads to a step", () => {
    const text = `${head}steps:
  - { id: plan, type: action, instructions: x, outcomes: { good: ship, bad: fail } }
  - { id: lost, type: action, instructions: x }
  - { id: ship, type: action, instructions: x }
`;
    expect(warningsAbout(text)).toEqual(['5:5  steps[1]  the step "lost" can never be reached']);
    expect(warningsAbout(text.replace("bad: fail", "bad: next"))).toEqual([]);
    expect(warningsAbout(text.replace("bad: fail", "bad: lost"))).toEqual([]);
    expect(
      warningsAbout(text.replace("instructions: x, outcomes", "instructions: x, on_fail: skip, outcomes")),
    ).toEqual([]);
  });

  test.each([
    ["a step", "  - { id: ship, type: action, instructions: x, budget: { turns: 1, pivot_to: lost } }\n", ""],
    [
      "a sub-step",
      "  - { id: ship, type: loop }\n",
      "loops: { ship: [{ id: a, instructions: x, budget: { turns: 1, pivot_to: lost } }] }\n",
    ],
  ])("but not when the pivot of %s leads there", (_, ship, loops) => {
    const lost =
      "  - { id: plan, type: action, instructions: x, outcomes: { good: ship } }\n  - { id: lost, type: action, instructions: x }\n";
    expect(warningsAbout(`${head}${loops}steps:\n${lost}${ship}`)).toEqual([]);
  });

  test("when a phase comes back after it has ended", () => {
    const text = `${head}steps:
  - { id: plan, type: action, phase: Design, instructions: x }
  - { id: draw, type: action, phase: Design, instructions: x }
  - { id: code, type: action, instructions: x }
  - { id: redraw, type: action, phase: Design, instructions: x }
`;
    expect(warningsAbout(text)).toEqual([
      '7:40  steps[3].phase  the phase "Design" has already ended; this counts as a second phase with the same name',
    ]);
  });
});

describe("doubts beside mistakes", () => {
  test("are told in the same go", () => {
    const reading = loadTemplate(
      `${head}agents: { reader: { description: reads } }\nsteps: [{ id: plan, type: action }]\n`,
    );
    expect(reading.ok ? [] : reading.problems.map(problemText)).toEqual([
      '4:9  steps[0].instructions  is missing in step "plan"; it must be text',
    ]);
    expect(reading.warnings.map(problemText)).toEqual(['3:11  agents.reader  no step uses the agent "reader"']);
  });

  test.each([
    [
      "the misspelt name of an agent",
      "agents: { writer: { description: x } }\nsteps: [{ id: a, type: action, instructions: x, agent: wirter }]\n",
    ],
    [
      "the misspelt name of a loop",
      "loops: { build: [{ id: a, instructions: x }] }\nsteps: [{ id: biuld, type: loop }]\n",
    ],
    [
      "a reserved name",
      "agents: { constructor: { description: x } }\nsteps: [{ id: a, type: action, instructions: x }]\n",
    ],
    ["an agent that cannot be read", "agents: { writer: x }\nsteps: [{ id: a, type: action, instructions: x }]\n"],
  ])("are not its echo: %s", (_, rest) => {
    const reading = loadTemplate(`${head}${rest}`);
    expect(reading.ok ? [] : reading.problems).toHaveLength(1);
    expect(reading.warnings).toEqual([]);
  });
});
