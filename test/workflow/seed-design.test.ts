import { describe, expect, test } from "vitest";
import { loadWorkflowTemplateFromString, WorkflowStateMachine } from "../../src/workflow/index.ts";

/** The design's examples are fragments; a workflow also has a name and a description. */
const load = (fragment: string) =>
  loadWorkflowTemplateFromString(`name: example\ndescription: An example\n${fragment}`);

const basicUsage = `
steps:
  - id: brainstorming
    type: action
    context: clear
    instructions: |
      Start fresh and brainstorm the feature approach.
`;

const loopSubSteps = `
loops:
  process_task:
    - id: implement
      context: compact
      instructions: |
        Implement the solution.
        (Context compacts before this step)

steps:
  - id: process_task
    type: loop
`;

const ralphIterations = `
steps:
  - id: refine
    type: ralph
    n: 3
    context: compact
    instructions: |
      Refine and improve the work.
      (Context compacts before EACH iteration)
`;

const subStepPrecedence = `
loops:
  work:
    - id: step2
      context: clear  # This takes precedence
      instructions: |
        This step has its own context action.

steps:
  - id: work
    type: loop
    context: compact  # Sub-step's 'clear' wins
`;

const contextExample = `name: context-example
description: Example workflow demonstrating context management features

steps:
  - id: brainstorm
    type: action
    context: clear
    instructions: |
      Start with a fresh context and brainstorm ideas.
      This step clears previous conversation history.

  - id: plan
    type: action
    instructions: |
      Create a detailed plan based on the brainstorming.
      No context action - this step uses the accumulated context.

  - id: implement_loop
    type: loop

  - id: review
    type: action
    context: compact
    instructions: |
      Review the implementation.
      This step compacts the conversation before review.

loops:
  implement_loop:
    - id: analyze
      instructions: Analyze the requirements

    - id: code
      context: compact
      instructions: |
        Write the implementation code.
        Context is compacted before coding to focus on current task.

    - id: verify
      instructions: Verify the implementation works
`;

/** A server like the design's: it hands out the command and saves, or gives the first line of the instructions. */
function serverOf(template: ReturnType<typeof load>) {
  let saved = JSON.stringify(new WorkflowStateMachine(template).getState());
  const use = (change: (machine: WorkflowStateMachine) => void): string => {
    const machine = WorkflowStateMachine.fromState(template, JSON.parse(saved));
    change(machine);
    const action = machine.getContextActionIfNeeded();
    if (action !== null) machine.markContextActionExecuted();
    saved = JSON.stringify(machine.getState());
    if (action !== null) return action === "compact" ? "/compact" : "/clear";
    return machine.getStatus().instructions.split("\n")[0] ?? "";
  };
  return {
    start: () => use((machine) => machine.start()),
    status: () => use(() => undefined),
    advance: (output = "") => use((machine) => machine.advance(output)),
    setTasks: (loop: string, ...ids: string[]) =>
      use((machine) =>
        machine.setTasks(
          loop,
          ids.map((id) => ({ id, title: `Task ${id}` })),
        ),
      ),
    state: (): unknown => JSON.parse(saved),
  };
}

describe("the design's examples", () => {
  test("a step with context: clear returns /clear on the first call and its instructions on the second", () => {
    const server = serverOf(load(basicUsage));
    expect([server.start(), server.status(), server.status()]).toEqual([
      "/clear",
      "Start fresh and brainstorm the feature approach.",
      "Start fresh and brainstorm the feature approach.",
    ]);
  });

  test("a sub-step with context: compact returns /compact first, for each task", () => {
    const server = serverOf(load(loopSubSteps));
    expect(server.start()).toBe(
      "This step works through a list of tasks. Set the tasks of the loop " +
        '"process_task" (each with an id and a title); an empty list skips the step.',
    );
    expect([server.setTasks("process_task", "a", "b"), server.status()]).toEqual([
      "/compact",
      "Implement the solution.",
    ]);
    expect([server.advance(), server.status()]).toEqual(["/compact", "Implement the solution."]);
    expect(server.advance()).toBe("Workflow complete.");
  });

  test("a ralph step compacts before each iteration", () => {
    const server = serverOf(load(ralphIterations));
    const seen = [server.start(), server.status()];
    for (let n = 0; n < 2; n++) seen.push(server.advance(), server.status());
    expect(seen).toEqual(Array.from({ length: 3 }, () => ["/compact", "Refine and improve the work."]).flat());
    expect(server.advance()).toBe("Workflow complete.");
  });

  test("a sub-step's action wins over its step's", () => {
    const server = serverOf(load(subStepPrecedence));
    expect(server.start()).toBe("/compact");
    expect([server.setTasks("work", "a"), server.status()]).toEqual([
      "/clear",
      "This step has its own context action.",
    ]);
  });
});

test("the plan's context-example walks to its end, with each command once", () => {
  const server = serverOf(loadWorkflowTemplateFromString(contextExample));
  expect([server.start(), server.status()]).toEqual(["/clear", "Start with a fresh context and brainstorm ideas."]);
  expect(server.advance()).toBe("Create a detailed plan based on the brainstorming.");
  expect(server.advance()).toContain('Set the tasks of the loop "implement_loop"');
  const first = [server.setTasks("implement_loop", "a", "b"), server.advance(), server.status(), server.advance()];
  const second = [server.advance(), server.advance(), server.status(), server.advance()];
  const task = [
    "Analyze the requirements",
    "/compact",
    "Write the implementation code.",
    "Verify the implementation works",
  ];
  expect([first, second]).toEqual([task, task]);
  expect([server.advance(), server.status()]).toEqual(["/compact", "Review the implementation."]);
  expect([server.advance("reviewed"), server.status(), server.start()]).toEqual([
    "Workflow complete.",
    "Workflow complete.",
    "/clear",
  ]);
});

describe("the design's scenarios", () => {
  const flag = (state: unknown) => (state as { contextActionExecuted: boolean }).contextActionExecuted;

  test("a step without context returns its instructions immediately", () => {
    const server = serverOf(load("steps: [{ id: a, type: action, instructions: Do it }]"));
    expect(server.start()).toBe("Do it");
    expect(flag(server.state())).toBe(false);
  });

  test.each([
    [
      "steps",
      "steps: [{ id: a, type: action, context: clear, instructions: x }, { id: b, type: action, instructions: y }]",
    ],
    [
      "loop sub-steps",
      "loops: { l: [{ id: a, context: clear, instructions: x }, { id: b, instructions: y }] }\nsteps: [{ id: l, type: loop }]",
    ],
    ["ralph iterations", "steps: [{ id: r, type: ralph, n: 2, context: clear, instructions: x }]"],
  ])("advancing %s resets the flag", (_, fragment) => {
    const machine = new WorkflowStateMachine(load(fragment));
    if (machine.getState().stepType === "loop") machine.setTasks("l", [{ id: "t", title: "T" }]);
    expect(machine.getState().contextActionExecuted).toBe(false);
    machine.markContextActionExecuted();
    expect(machine.getState().contextActionExecuted).toBe(true);
    machine.advance("");
    expect(machine.getState().contextActionExecuted).toBe(false);
  });

  test("a new task, and tasks that begin a loop, reset the flag", () => {
    const machine = new WorkflowStateMachine(load(subStepPrecedence));
    machine.markContextActionExecuted();
    machine.setTasks("work", [
      { id: "a", title: "A" },
      { id: "b", title: "B" },
    ]);
    expect(machine.getState().contextActionExecuted).toBe(false);
    machine.markContextActionExecuted();
    machine.advance("");
    expect(machine.getState()).toMatchObject({ task: { id: "b" }, contextActionExecuted: false });
  });

  test.each([true, false])("a flag that is %s is preserved when the state is restored", (executed) => {
    const template = load(basicUsage);
    const machine = new WorkflowStateMachine(template);
    if (executed) machine.markContextActionExecuted();
    const restored = WorkflowStateMachine.fromState(template, JSON.parse(JSON.stringify(machine.getState())));
    expect(restored.getState().contextActionExecuted).toBe(executed);
    expect(restored.getContextActionIfNeeded()).toBe(executed ? null : "clear");
  });
});
