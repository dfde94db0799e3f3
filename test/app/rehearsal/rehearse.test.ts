import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProject } from "../../cli/program.ts";

const ship = `name: ship
description: Ship a change
budget: { cost: 5 }
variables:
  ticket: { type: text, required: true }
  test_command: { type: command, default: npm test }
  docs: { type: flag, default: true }
steps:
  - id: plan
    type: action
    instructions: "Plan {run.request} for {vars.ticket}."
    gate: [{ output: { contains: "Risk:" }, message: Name the risk }]
    on_fail: retry
    max_retries: 1
  - { id: build, type: loop, budget: { turns: 5, minutes: 30, pivot_to: plan } }
  - id: check
    type: command
    run: { command: test_command }
    on_fail: { go_to: repair }
    max_retries: 1
  - id: decide_next
    type: action
    instructions: Is it done?
    outcomes: { done: next, more: build, never: fail }
  - { id: document, type: action, instructions: Document it, when: vars.docs }
  - { id: polish, type: ralph, n: 3, instructions: "Pass {pass} of {passes}", until: [{ run: npm run lint }] }
  - { id: approve, type: action, instructions: Ask, gate: [{ exists: dist }, { approval: { human: [dashboard] } }] }
  - { id: publish, type: action, instructions: Publish it, outcomes: { published: complete } }
  - { id: repair, type: action, instructions: "Repair it {?gates}{gates}{/}", outcomes: { repaired: check } }
loops:
  build:
    - { id: make, instructions: "Make {task.title}" }
    - { id: try, instructions: Try it, gate: [{ command: test_command }] }
`;

async function rehearse(script: string) {
  const project = createProject();
  project.write(".holdfast/workflows/ship.yaml", ship);
  project.write("script.yaml", script);
  const { code, value } = await project.json(["test", "ship", "--script", "script.yaml"]);
  const problems: string[] = (value.problems ?? []).map(
    (problem: { position: { line: number; column: number }; path: string; message: string }) =>
      `${problem.position.line}:${problem.position.column} ${problem.path} ${problem.message}`,
  );
  const path: string[] = (value.visits ?? []).map((visit: { token: string | null; place: string }) =>
    visit.token === null ? `(${visit.place})` : visit.token,
  );
  return { code, value, problems, path, project };
}

const start = `request: Dark mode
variables: { ticket: UI-1 }
`;
const plan = `  plan: "Risk: none"\n`;

describe("a script", () => {
  it("walks a workflow with everything that it has, and runs nothing", async () => {
    const script = `${start}answers:
  plan: [No word about it, "Risk: the cache"]
  build: { tasks: [Toggle] }
  build/make: { spend: turns, decide: continue, output: Made }
  build/t1/try: [{ gates: fail }, { fail: It blinks }, Fine]
  check: [{ exit: 1, output: 2 failing }, { exit: 1, decide: { go_to: build } }, {}]
  repair: { output: Repaired }
  decide_next: { outcome: done, variables: { docs: false } }
  polish: [{ until: fail }, { until: pass }]
  approve: [{ gates: fail }, { reject: Not today }, { approve: Now }]
expect:
  status: complete
  told:
    plan: Plan Dark mode for UI-1.
    build/t1/make: Make Toggle
    polish/2: Pass 2 of 3
`;
    const { problems, value, project } = await rehearse(
      script.replace("build: { tasks: [Toggle] }", "build: [{ tasks: [Toggle] }, { tasks: [] }]"),
    );
    expect(problems).toEqual([]);
    expect(value.visits.map((visit: { token: string; notes: string[] }) => [visit.token, visit.notes])).toEqual([
      ["plan#1", ["the gate does not hold: Name the risk"]],
      ["build#1", ["1 task"]],
      ["build/t1/make#1", ["budget of turns spent", "a person decides: continue"]],
      ["build/t1/try#1", ["the gate does not hold: npm test", "fails: It blinks"]],
      ["check#1", ["npm test fails (exit 1)"]],
      ["repair#1", ["repaired"]],
      ["check#2", ["npm test fails (exit 1)", "a person decides: go to build"]],
      ["build#2", ["0 tasks"]],
      ["check#3", ["npm test passes"]],
      ["decide_next#1", ["done"]],
      [null, ["skipped: vars.docs is not true"]],
      ["polish/1#1", []],
      ["polish/2#1", []],
      ["approve#1", ["the gate does not hold: exists dist", "a person rejects it: Not today", "a person approves it"]],
      ["publish#1", ["published"]],
    ]);
    // Nothing is stored.
    expect(readdirSync(join(project.root, ".holdfast"))).toEqual(["workflows"]);
  });

  it("need not say anything about what goes the straight way", async () => {
    const { problems, path } = await rehearse(`${start}answers:\n${plan}`);
    expect(problems).toEqual([]);
    expect(path.slice(0, 6)).toEqual([
      "plan#1",
      "build#1",
      "build/t1/make#1",
      "build/t1/try#1",
      "build/t2/make#1",
      "build/t2/try#1",
    ]);
  });

  it.each([
    ["a failure that nobody decides", "check: [{ exit: 1 }, { exit: 2 }]", "waiting", "check#2"],
    ["a budget that nobody decides", "build/make: { spend: minutes }", "review", "build/t1/make#1"],
    ["a budget of the whole run that nobody decides", "document: { spend: cost }", "review", "document#1"],
    ["an outcome that fails", "decide_next: { outcome: never }", "failed", "decide_next#1"],
  ])("can expect %s", async (_, line, status, last) => {
    const { problems, path, code } = await rehearse(
      `${start}answers:\n${plan}  ${line}\nexpect: { status: ${status} }\n`,
    );
    expect(problems).toEqual([]);
    expect(path.at(-1)).toBe(last);
    expect(code).toBe(0);
  });

  it("may leave out everything, and can have hundreds of tasks", async () => {
    const tasks = Array.from({ length: 500 }, (_, index) => `Task ${index}`).join(", ");
    const { problems, path } = await rehearse(`${start}answers:\n${plan}  build: { tasks: [${tasks}] }\nexpect:\n`);
    expect(problems).toEqual([]);
    expect(path).toContain("build/t500/try#1");
  });

  it("expects the end of the workflow, unless it says otherwise", async () => {
    const { problems, code } = await rehearse(`${start}answers:\n${plan}  decide_next: { outcome: never }\n`);
    expect(problems).toEqual(["1:1 expect.status the run is failed, not complete"]);
    expect(code).toBe(1);
  });
});

describe("a script that does not fit", () => {
  it.each([
    ["answers: { plam: x }", '3:12 answers.plam there is no step "plam"; did you mean plan?'],
    [
      "answers: { build/tries: x }",
      '3:12 answers["build/tries"] the step "build" has no sub-step "tries"; its sub-steps are make, try',
    ],
    ["answers: { plan/t1/x/y: x }", '3:12 answers["plan/t1/x/y"] the step "plan" has no sub-step "y"'],
    [
      "answers: { plan: 3 }",
      "3:18 answers.plan must be the agent's answer as text, or a map such as { outcome: approved }, not the number 3",
    ],
    ["answers: { plan: [] }", "3:18 answers.plan must have at least one answer"],
    ["answers: { plan: { outptu: x } }", '3:20 answers.plan.outptu unknown key "outptu"; did you mean output?'],
    ["answers: { check: { exit: often } }", '3:27 answers.check.exit must be a whole number, not "often"'],
    ["answers: { check: { exit: 999 } }", "3:27 answers.check.exit must be 255 at most"],
    [
      "answers: { approve: { approve: true, reject: No } }",
      "3:46 answers.approve.reject a visit is approved or rejected, not both",
    ],
    ["answers: { plan: { gates: maybe } }", '3:27 answers.plan.gates "maybe" is not a result; use pass or fail'],
    [
      "answers: { plan: { decide: retri } }",
      '3:28 answers.plan.decide must be a decision such as retry, or a map with go_to, not "retri"',
    ],
    ["expects: {}", '3:1 expects unknown key "expects"; did you mean expect?'],
    ["expect: { status: done }", '3:19 expect.status "done" is not a status; use complete, failed, waiting or review'],
    ["- x", "a script is a map"],
  ])("%s is refused with its line", async (line, problem) => {
    const { problems, code, value } = await rehearse(line === "- x" ? "- x\n" : `${start}${line}\n`);
    expect(problems.join("\n")).toContain(problem);
    expect(problems).toHaveLength(1);
    expect(value.visits).toEqual([]);
    expect(code).toBe(1);
  });

  it.each([
    [
      "variables: { ticket: A }\nanswers: { plan: no word }",
      "2:18 answers.plan plan#1 cannot end with this answer; write a list",
    ],
    [
      "variables: { tikcet: A }",
      '1:22 variables.tikcet the workflow "ship" declares no variable "tikcet"; did you mean ticket?',
    ],
    ["variables: {}", 'variables the workflow needs the variable "ticket"; give it a value'],
    [`${start}answers:\n${plan}  repair: x`, '5:3 answers.repair no visit came to "repair"'],
    [
      `${start}answers:\n${plan}  document: [x, y]`,
      "5:17 answers.document[1] this answer is left over: the visits needed only 1 of 2",
    ],
    [
      `${start}answers:\n${plan}  decide_next: [{ outcome: more }]`,
      "5:16 answers.decide_next decide_next#2 needs one more answer than the 1 in this list",
    ],
    [
      `${start}answers:\n${plan}  decide_next: { outcome: more }`,
      '4:3 answers the step "build" comes up again and again; script what leads to the end of the workflow',
    ],
    [
      `${start}answers:\n${plan}  decide_next: { outcome: most }`,
      '5:16 answers.decide_next decide_next#1: "most" is not one of this step\'s outcomes: done, more, never',
    ],
    [`${start}answers:\n${plan}  document: { outcome: done }`, "5:13 answers.document document#1: "],
    [
      `${start}answers:\n${plan}  document: { gates: fail }`,
      "5:22 answers.document.gates document#1 does not need gates: it has no gate to run or to look for",
    ],
    [
      `${start}answers:\n${plan}  document: { reject: no }`,
      "5:23 answers.document.reject document#1 does not need reject: nobody is asked to approve it",
    ],
    [
      `${start}answers:\n${plan}  document: { exit: 1 }`,
      "5:21 answers.document.exit document#1 does not need exit: only a step of type command has one",
    ],
    [
      `${start}answers:\n${plan}  document: { fail: It burns, decide: retry }`,
      '4:3 answers the step "document" comes up again and again; script what leads to the end of the workflow',
    ],
    [
      `${start}answers:\n${plan}  document: { spend: turns }`,
      "5:22 answers.document.spend document#1 has no budget of turns",
    ],
    [
      `${start}answers:\n${plan}  build/make: { spend: turns, decide: retry }`,
      '5:39 answers["build/make"].decide build/t1/make#1 has spent its budget; decide continue, pivot, escalate or abandon',
    ],
    [`${start}answers:\n${plan}  build: { tasks: [{ id: a }] }`, "5:10 answers.build build#1: "],
    [`${start}answers:\n${plan}expect: { path: [plan, biuld] }`, "5:24 expect.path[1] visit 2 is at build"],
    [`${start}answers:\n${plan}expect: { path: [plan, build] }`, "5:17 expect.path the run goes on at build/t1/make"],
    [
      `${start}answers:\n${plan}expect: { told: { plan: Pla Dark } }`,
      '5:25 expect.told.plan the agent is not told "Pla Dark"',
    ],
    [`${start}answers:\n${plan}expect: { told: { nowhere: x } }`, "5:19 expect.told.nowhere no visit came here"],
  ])("after %j the walk says what is wrong", async (script, problem) => {
    const { problems, code } = await rehearse(`${script}\n`);
    expect(problems.join("\n")).toContain(problem);
    expect(problems).toHaveLength(1);
    expect(code).toBe(1);
  });
});

describe("holdfast test", () => {
  it("prints the visits, and with --told what the agent is told", async () => {
    const { project } = await rehearse("");
    project.write("good.yaml", `${start}answers:\n${plan}`);
    const plain = await project.holdfast(["test", "ship", "--script", "good.yaml"]);
    expect(plain.stdout).toContain("  decide_next#1    done\n");
    expect(plain.stdout).toMatch(/\nship: 14 visits, complete\n$/);
    expect(plain.stdout).not.toContain("Plan Dark mode");
    const told = await project.holdfast(["test", "ship", "--script", "good.yaml", "--told"]);
    expect(told.stdout).toContain("\n      Plan Dark mode for UI-1.");
  });

  it("refuses a script that is not there and a workflow that is not there", async () => {
    const { holdfast, json } = createProject();
    const missing = await holdfast(["test", "feature", "--script", "nowhere.yaml"]);
    expect(missing).toMatchObject({ code: 2 });
    expect(missing.stderr).toContain("cannot read nowhere.yaml (ENOENT)");
    expect(await json(["test", "featur"])).toMatchObject({ code: 1, value: { error: { code: "workflow-unknown" } } });
  });
});
