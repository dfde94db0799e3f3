import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  discoverWorkflows,
  loadWorkflowTemplate,
  loadWorkflowTemplateFromString,
  validateTemplate,
  WorkflowStateMachine,
  WorkflowValidationError,
} from "../../src/workflow/index.ts";

const load = (yaml: string) => loadWorkflowTemplateFromString(`name: test\ndescription: a test\n${yaml}`);

const whole = load(`
agents:
  planner: { description: plans }
  coder: { description: codes }
loops:
  build:
    - { id: implement, agent: coder, context: compact, instructions: "Implement {task.title}" }
    - { id: verify, instructions: Verify }
steps:
  - { id: plan, type: action, agent: planner, artefacts: true, instructions: Plan }
  - { id: build, type: loop }
  - { id: polish, type: ralph, n: 2, context: clear, instructions: Polish }
  - { id: ship, type: action, instructions: "Ship {outputs.polish}" }
`);
const tasks = [
  { id: "a", title: "First" },
  { id: "b", title: "Second", description: "with care" },
];

/** A machine that was advanced so many times; tasks are set when it comes to the loop. */
function machineAfter(advances: number): WorkflowStateMachine {
  const machine = new WorkflowStateMachine(whole);
  machine.start();
  for (let n = 0; n < advances; n++) {
    machine.advance(`output ${n}`);
    if (n === 0) machine.setTasks("build", tasks);
  }
  return machine;
}

describe("a walk from start to end", () => {
  test("returns each status in turn", () => {
    const machine = new WorkflowStateMachine(whole);
    const seen = [machine.start(), machine.advance("planned")];
    machine.setTasks("build", tasks);
    seen.push(machine.getStatus());
    for (let n = 0; n < 7; n++) seen.push(machine.advance(`output ${n}`));
    expect(
      seen.map(({ status, step, subStep, ralphIteration, agent, delegate, progress }) =>
        [status, step, subStep, ralphIteration, agent, delegate, progress.currentTaskProgress].join(" "),
      ),
    ).toEqual([
      "running plan   planner true ",
      "running build    false ",
      "running build implement  coder true Task 1/2, Sub-step 1/2",
      "running build verify   false Task 1/2, Sub-step 2/2",
      "running build implement  coder true Task 2/2, Sub-step 1/2",
      "running build verify   false Task 2/2, Sub-step 2/2",
      "running polish  1  false ",
      "running polish  2  false ",
      "running ship    false ",
      "complete ship    false ",
    ]);
    expect(machine.getContext()).toEqual({
      plan: "planned",
      "build.a.implement": "output 0",
      "build.a.verify": "output 1",
      "build.b.implement": "output 2",
      "build.b.verify": "output 3",
      "polish.1": "output 4",
      "polish.2": "output 5",
      ship: "output 6",
    });
  });

  test("has the sub-step at the top of the status, beside the task", () => {
    const status = machineAfter(4).getStatus();
    expect(status).toMatchObject({ subStep: "verify", subStepIndex: 1, totalSubSteps: 2 });
    expect(status.task).toEqual({
      id: "b",
      title: "Second",
      description: "with care",
      index: 1,
      total: 2,
      subStep: "verify",
      subStepIndex: 1,
      totalSubSteps: 2,
    });
    expect(machineAfter(5).getStatus()).not.toHaveProperty("subStep");
  });

  test("shows the latest output of a step where the instructions name it", () => {
    expect(machineAfter(7).getStatus().instructions.startsWith("Ship output 6\n")).toBe(true);
  });

  test("shows the output of the latest pass, also when a step is gone through again", () => {
    const machine = new WorkflowStateMachine(
      load(`
steps:
  - { id: polish, type: ralph, n: 2, instructions: "<{outputs.polish}>" }
  - { id: judge, type: action, instructions: x, outcomes: { more: polish, good: next } }
`),
    );
    const seen = [machine.getStatus(), machine.advance("one"), machine.advance("two")];
    seen.push(machine.advance("", { outcome: "more" }), machine.advance("three"));
    expect(seen.map((status) => status.instructions.split("\n")[0])).toEqual([
      "<(no output yet)>",
      "<one>",
      "x",
      "<two>",
      "<three>",
    ]);
    expect(machine.getContext()).toEqual({ "polish.1": "three", "polish.2": "two", judge: "" });
  });

  test("asks for the context action of each visit anew", () => {
    const machine = new WorkflowStateMachine(whole);
    machine.setTasks("build", tasks);
    const seen: unknown[] = [];
    while (machine.getStatus().status === "running") {
      seen.push(machine.getContextActionIfNeeded());
      machine.markContextActionExecuted();
      seen.push(machine.getContextActionIfNeeded());
      machine.advance("");
    }
    expect(seen).toEqual([
      ...[null, null],
      ...["compact", null, null, null, "compact", null, null, null],
      ...["clear", null, "clear", null],
      ...[null, null],
    ]);
    expect(machine.getContextActionIfNeeded()).toBe(null);
  });
});

describe("the state", () => {
  test("at an action has the fields of the design, and no others", () => {
    expect(machineAfter(0).getState()).toEqual({
      status: "running",
      step: "plan",
      stepType: "action",
      tasks: {},
      outputs: {},
      artefacts: [],
      currentStepArtefacts: true,
      contextActionExecuted: false,
      workflow_definition: whole,
    });
  });

  test("in a loop has the task, the sub-step and where each task stands", () => {
    expect(machineAfter(4).getState()).toEqual({
      status: "running",
      step: "build",
      stepType: "loop",
      task: { index: 1, id: "b", title: "Second" },
      subStep: "verify",
      tasks: {
        build: [
          { id: "a", title: "First", status: "done" },
          { id: "b", title: "Second", description: "with care", status: "in_progress" },
        ],
      },
      outputs: {
        plan: "output 0",
        "build.a.implement": "output 1",
        "build.a.verify": "output 2",
        "build.b.implement": "output 3",
      },
      artefacts: [],
      contextActionExecuted: false,
      workflow_definition: whole,
    });
  });

  test("in a ralph step has the iteration, which is gone afterwards", () => {
    expect(machineAfter(6).getState()).toMatchObject({ step: "polish", stepType: "ralph", ralphIteration: 2 });
    expect(machineAfter(7).getState()).not.toHaveProperty("ralphIteration");
  });

  test("follows the artefacts flag of the step: set on arrival, gone with the next", () => {
    expect(machineAfter(0).getState().currentStepArtefacts).toBe(true);
    expect(machineAfter(1).getState()).not.toHaveProperty("currentStepArtefacts");
  });

  test("is a deep copy", () => {
    const machine = machineAfter(2);
    const before = machine.getState();
    const copy = machine.getState();
    copy.outputs.plan = "forged";
    copy.artefacts.push("/forged");
    copy.tasks.build?.pop();
    Object.assign(copy.tasks.build?.[0] ?? {}, { title: "forged" });
    Object.assign(copy.task ?? {}, { index: 9 });
    Object.assign(copy.workflow_definition ?? {}, { name: "forged" });
    expect(machine.getState()).toEqual(before);
  });

  test("carries its template, and is restored by it when the file has changed or is gone", () => {
    const saved = JSON.parse(JSON.stringify(machineAfter(4).getState()));
    const other = load("steps: [{ id: other, type: action, instructions: Something else }]");
    const machine = WorkflowStateMachine.fromState(other, saved);
    expect(machine.getTemplate()).toEqual(whole);
    expect(machine.getStatus()).toEqual(machineAfter(4).getStatus());
    expect(machine.advance("verified")).toMatchObject({ step: "polish", ralphIteration: 1 });
  });

  test("of an older version has no template and is restored by the one that is passed", () => {
    const { workflow_definition: _definition, ...old } = machineAfter(4).getState();
    expect(WorkflowStateMachine.fromState(whole, old).getState()).toEqual(machineAfter(4).getState());
  });

  test("with a damaged template is refused with its problems", () => {
    const saved = machineAfter(4).getState();
    Object.assign(saved.workflow_definition ?? {}, { steps: [] });
    expect(() => WorkflowStateMachine.fromState(whole, saved)).toThrow(WorkflowValidationError);
  });

  test("that a machine was restored from is not shared with it", () => {
    const state = machineAfter(2).getState();
    const machine = WorkflowStateMachine.fromState(whole, state);
    state.outputs.plan = "forged";
    state.tasks.build?.pop();
    expect(machine.getState()).toEqual(machineAfter(2).getState());
  });

  test("and the status, and the outputs, cannot be changed through what is handed out", () => {
    const machine = machineAfter(1);
    machine.getStatus().artefacts.push("/forged");
    machine.getContext().plan = "forged";
    expect(machine.getStatus().artefacts).toEqual([]);
    expect(machine.getContext()).toEqual({ plan: "output 0" });
  });
});

describe("start", () => {
  test("of a machine under way returns its status and changes nothing", () => {
    const machine = machineAfter(4);
    machine.setSummary("keep me");
    const before = machine.getState();
    expect(machine.start()).toEqual(machine.getStatus());
    expect(machine.getState()).toEqual(before);
  });

  test("of a restored machine goes on where the state was", () => {
    const machine = WorkflowStateMachine.fromState(whole, machineAfter(4).getState());
    expect(machine.start()).toMatchObject({ step: "build", subStep: "verify" });
    expect(machine.getContext()).toHaveProperty("plan", "output 0");
  });
});

describe("advance", () => {
  test("at a loop without tasks skips it and records the output", () => {
    const machine = machineAfter(0);
    machine.advance("planned");
    expect(machine.advance("nothing to build")).toMatchObject({ step: "polish", ralphIteration: 1 });
    expect(machine.getContext()).toEqual({ plan: "planned", build: "nothing to build" });
  });

  test("at a skipped loop with dots in its name records the output where instructions find it", () => {
    const machine = new WorkflowStateMachine(
      load(`
loops: { a.b: [{ id: s, instructions: x }] }
steps: [{ id: a.b, type: loop }, { id: end, type: action, instructions: "{outputs.a.b}" }]
`),
    );
    expect(machine.advance("nothing").instructions.startsWith("nothing\n")).toBe(true);
    expect(machine.getContext()).toEqual({ "a%2Eb": "nothing" });
  });

  test("after the end returns complete and keeps the outputs", () => {
    const machine = machineAfter(8);
    const before = machine.getState();
    expect(machine.advance("too late")).toMatchObject({ status: "complete", step: "ship" });
    expect(machine.getState()).toEqual(before);
  });

  test("with an outcome, or a failure, takes that path", () => {
    const template = load(`
steps:
  - { id: check, type: action, instructions: x, outcomes: { good: next, bad: check }, on_fail: skip }
  - { id: end, type: action, instructions: x }
`);
    const machine = new WorkflowStateMachine(template);
    expect(() => machine.advance("?")).toThrow("good, bad");
    expect(machine.advance("red", { outcome: "bad" }).step).toBe("check");
    expect(machine.advance("lost", { failed: true }).step).toBe("end");
    expect(machine.advance("lost again", { failed: true })).toMatchObject({
      status: "failed",
      instructions: "Workflow failed at end: lost again",
    });
    expect(machine.getState().status).toBe("failed");
  });

  test("that is refused records nothing", () => {
    const machine = new WorkflowStateMachine(
      load("steps: [{ id: a, type: action, instructions: x, gate: [{ exists: a.md }] }]"),
    );
    expect(() => machine.advance("early")).toThrow("not checked");
    expect(machine.getContext()).toEqual({});
    expect(machine.advance("now", { gates: [{ gate: 0, held: true, what: "a.md" }] }).status).toBe("complete");
  });

  test("of a failed attempt keeps the context action handed out", () => {
    const template = load("steps: [{ id: a, type: action, context: clear, instructions: x, on_fail: retry }]");
    const machine = new WorkflowStateMachine(template);
    machine.markContextActionExecuted();
    machine.advance("red", { failed: true });
    expect(machine.getState().contextActionExecuted).toBe(true);
    const restored = WorkflowStateMachine.fromState(template, machine.getState());
    expect([machine.getContextActionIfNeeded(), restored.getContextActionIfNeeded()]).toEqual([null, null]);
  });
});

describe("setTasks", () => {
  test.each(["nope", "plan", "constructor", "__proto__"])("throws for the loop %s, naming it", (loop) => {
    expect(() => machineAfter(0).setTasks(loop, tasks)).toThrow(`"${loop}" is not a loop of this workflow`);
  });

  test("throws for a task without a title, and takes none of the list", () => {
    const machine = machineAfter(0);
    expect(() => machine.setTasks("build", [...tasks, { id: "c", title: " " }])).toThrow("task 3: the title");
    expect(machine.getState().tasks).toEqual({});
  });

  test("drops a description that is no text, and a status", () => {
    const machine = machineAfter(0);
    const odd = { id: "a", title: "A", description: 5, status: "done" } as unknown as { id: string; title: string };
    machine.setTasks("build", [odd]);
    expect(machine.getState().tasks.build).toEqual([{ id: "a", title: "A", status: "pending" }]);
  });

  test("keeps what each task depends on, over save and restore", () => {
    const machine = machineAfter(0);
    machine.setTasks("build", [...tasks, { id: "c", title: "Third", depends_on: ["a", "b"] }]);
    const kept = { id: "c", title: "Third", depends_on: ["a", "b"], status: "pending" };
    expect(machine.getState().tasks.build?.[2]).toEqual(kept);
    const restored = WorkflowStateMachine.fromState(whole, machine.getState());
    expect(restored.getState().tasks.build?.[2]).toEqual(kept);
  });

  test("with an empty list skips the loop", () => {
    const machine = machineAfter(0);
    machine.advance("");
    machine.setTasks("build", []);
    expect(machine.getStatus().step).toBe("polish");
  });
});

describe("setSummary", () => {
  test("cleans and keeps it, and it is restored", () => {
    const machine = machineAfter(0);
    machine.setSummary(`  add\n ${"x".repeat(200)} `);
    const summary = `add ${"x".repeat(93)}...`;
    expect(machine.getStatus().summary).toBe(summary);
    expect(machine.getState().summary).toBe(summary);
    expect(WorkflowStateMachine.fromState(whole, machine.getState()).getStatus().summary).toBe(summary);
  });

  test("with blanks changes nothing", () => {
    const machine = machineAfter(0);
    machine.setSummary(" \n ");
    expect(machine.getState()).not.toHaveProperty("summary");
    expect(machine.getStatus()).not.toHaveProperty("summary");
    machine.setSummary("add a greeting");
    machine.setSummary("\t");
    expect(machine.getStatus().summary).toBe("add a greeting");
  });
});

describe("registerArtefacts", () => {
  let folder = "";
  let file = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "artefacts-"));
    file = join(folder, "plan.md");
    writeFileSync(file, "plan");
    writeFileSync(join(folder, "notes.md"), "notes");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("sorts files into new ones, known ones, and those that are none", () => {
    const machine = machineAfter(0);
    const missing = join(folder, "missing.md");
    const inside = join(file, "inside.md");
    const endless = join(folder, "x".repeat(5000));
    expect(machine.registerArtefacts([file, join(folder, ".", "plan.md"), missing, folder, "", inside])).toEqual({
      registered: [file],
      duplicates: [file],
      invalid: [missing, folder, "", inside],
    });
    expect(machine.registerArtefacts([file, join(folder, "notes.md"), "a\u0000b", endless])).toEqual({
      registered: [join(folder, "notes.md")],
      duplicates: [file],
      invalid: ["a\u0000b", endless],
    });
    expect(machine.getStatus().artefacts).toEqual([file, join(folder, "notes.md")]);
  });

  test("lists what is no text as invalid", () => {
    const odd = [5, null, undefined, [file]] as unknown as string[];
    expect(machineAfter(0).registerArtefacts([...odd, file])).toEqual({
      registered: [file],
      duplicates: [],
      invalid: odd,
    });
  });

  test("resolves a relative path against the working directory", () => {
    const { registered } = machineAfter(0).registerArtefacts(["package.json"]);
    expect(registered).toEqual([join(process.cwd(), "package.json")]);
  });

  test("keeps them over save and restore, and after the end", () => {
    const machine = machineAfter(7);
    machine.registerArtefacts([file]);
    const restored = WorkflowStateMachine.fromState(whole, machine.getState());
    expect(restored.registerArtefacts([file]).duplicates).toEqual([file]);
    expect(restored.advance("shipped").artefacts).toEqual([file]);
  });
});

describe("loading", () => {
  test("a file is a promise, a text is not", async () => {
    const folder = mkdtempSync(join(tmpdir(), "workflow-"));
    const path = join(folder, "w.yaml");
    writeFileSync(path, "name: w\ndescription: d\nsteps: [{ id: a, type: action, instructions: x }]\n");
    const loading = loadWorkflowTemplate(path);
    expect(loading).toBeInstanceOf(Promise);
    expect((await loading).name).toBe("w");
    writeFileSync(path, "name: w\nsteps: []\n");
    await expect(loadWorkflowTemplate(path)).rejects.toThrow(WorkflowValidationError);
    await expect(loadWorkflowTemplate(path)).rejects.toThrow(path);
    await expect(loadWorkflowTemplate(join(folder, "none.yaml"))).rejects.toMatchObject({
      code: "ENOENT",
      message: expect.stringContaining("none.yaml"),
    });
    rmSync(folder, { recursive: true });
  });

  test("an error has all the problems, with their places", () => {
    try {
      loadWorkflowTemplateFromString("name: w\nsteps: [{ id: a, type: action }]\n");
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof WorkflowValidationError)) throw error;
      expect(error.problems.map((problem) => problem.path).sort()).toEqual(["description", "steps[0].instructions"]);
    }
  });

  test("a plain value is checked in the same way", () => {
    expect(
      validateTemplate({ name: "w", description: "d", steps: [{ id: "a", type: "action", instructions: "x" }] }),
    ).toBe(true);
    expect(() => validateTemplate({ name: "w", description: "d", steps: [] })).toThrow(WorkflowValidationError);
    expect(() => validateTemplate(null)).toThrow(WorkflowValidationError);
  });

  test("the template is given back as it is", () => {
    expect(new WorkflowStateMachine(whole).getTemplate()).toBe(whole);
  });
});

describe("discoverWorkflows", () => {
  const valid = (name: string) => `name: ${name}\ndescription: d\nsteps: [{ id: a, type: action, instructions: x }]\n`;
  let project = "";
  beforeAll(() => {
    project = realpathSync(mkdtempSync(join(tmpdir(), "discover-")));
    mkdirSync(join(project, ".holdfast/workflows"), { recursive: true });
    mkdirSync(join(project, "flows"));
    writeFileSync(join(project, ".holdfast/workflows/ours.yaml"), valid("ours"));
    writeFileSync(join(project, ".holdfast/workflows/broken.yaml"), "name: broken\nsteps: []\n");
    writeFileSync(join(project, ".holdfast/workflows/notes.md"), valid("notes"));
    writeFileSync(join(project, "flows/other.yml"), valid("other"));
    symlinkSync(join(project, "flows/other.yml"), join(project, ".holdfast/workflows/linked.yaml"));
    symlinkSync(join(project, "flows"), join(project, "linked"));
  });
  afterAll(() => rmSync(project, { recursive: true }));

  test("finds the built-in workflows and those of the project, and leaves out what is none", async () => {
    const found = await discoverWorkflows({ workspaceRoot: project });
    expect(found.filter(({ isBuiltIn }) => !isBuiltIn)).toEqual([
      { name: "ours", description: "d", path: join(project, ".holdfast/workflows/ours.yaml"), isBuiltIn: false },
    ]);
    const feature = found.find(({ name }) => name === "feature");
    expect(feature).toMatchObject({ isBuiltIn: true, path: join(process.cwd(), "workflows/feature.yaml") });
    expect(found.at(-1)?.name).toBe("ours");
  });

  test("looks in another folder of the project, but not outside it or through a link", async () => {
    const own = async (customWorkflowsFolder: string, workspaceRoot = project) =>
      (await discoverWorkflows({ workspaceRoot, customWorkflowsFolder, extensionPath: project })).map(
        ({ name }) => name,
      );
    expect(await own("flows/")).toEqual(["other"]);
    expect(await own("linked")).toEqual([]);
    expect(await own("../flows", join(project, ".holdfast"))).toEqual([]);
    expect(await own("none")).toEqual([]);
  });
});

describe("variables with a type", () => {
  const template = load(`
variables:
  mode: { type: choice, choices: [quick, full], default: full }
  ticket: { type: text, required: true }
  check: { type: command, default: npm test }
steps:
  - { id: work, type: action, instructions: "{vars.mode}, {vars.check} [{vars.ticket}]", gate: [{ command: check }] }
`);

  test("begin with their defaults; nobody is asked for a required one, and nothing is executed", () => {
    const machine = new WorkflowStateMachine(template);
    expect(machine.start().instructions).toContain("full, npm test []");
    expect(() => machine.advance("done")).toThrow("the gates of this visit were not checked");
    const gates = [{ gate: 0, held: true, what: "npm test" }];
    expect(machine.advance("done", { gates })).toMatchObject({ status: "complete" });
  });
});

describe("a loop with a source of tasks", () => {
  const template = load(`
loops: { build: [{ id: code, instructions: "Do {task.title}" }] }
steps: [{ id: build, type: loop, tasks: { file: tasks.md }, on_fail: skip }]
`);

  test("gets from the program what the program got from there, and reads nothing itself", () => {
    const machine = new WorkflowStateMachine(template);
    expect(machine.start()).toMatchObject({ step: "build", stepType: "command" });
    expect(() => machine.advance("no list")).toThrow("the list of tasks cannot be used: it has no task");
    const restored = WorkflowStateMachine.fromState(template, machine.getState());
    expect(restored.advance("- [x] One\n- [ ] Two\n")).toMatchObject({ stepType: "loop", task: { title: "Two" } });
    expect(restored.advance("done")).toMatchObject({ status: "complete" });
  });

  test("can have its tasks set, and fail", () => {
    const machine = new WorkflowStateMachine(template);
    machine.setTasks("build", [{ id: "t1", title: "One" }]);
    expect(machine.getStatus()).toMatchObject({ task: { title: "One" } });
    expect(new WorkflowStateMachine(template).advance("no file", { failed: true })).toMatchObject({
      status: "complete",
    });
  });
});
