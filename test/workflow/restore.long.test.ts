import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isApproval } from "../../src/model/run-state.ts";
import type { Template } from "../../src/model/template.ts";
import { loadWorkflowTemplateFromString, WorkflowStateMachine } from "../../src/workflow/index.ts";
import { cases } from "../dose.ts";
import { randomTemplate } from "../engine/random-template.ts";

const law = loadWorkflowTemplateFromString(`
name: test
description: a test
loops:
  build:
    - { id: implement, context: compact, instructions: "Implement {task.title}" }
    - { id: verify, instructions: Verify }
steps:
  - { id: plan, type: action, instructions: Plan }
  - { id: build, type: loop }
  - { id: polish, type: ralph, n: 3, instructions: Polish }
  - { id: ship, type: action, instructions: Ship }
`);
const nothing = { tasks: {}, outputs: {}, artefacts: [], contextActionExecuted: false };
const restore = (state: Parameters<typeof WorkflowStateMachine.fromState>[1]) =>
  WorkflowStateMachine.fromState(law, state);

describe("a machine restored", () => {
  test("at an action goes on from there", () => {
    const machine = restore({
      ...nothing,
      status: "running",
      step: "ship",
      stepType: "action",
      outputs: { plan: "p" },
    });
    expect(machine.getStatus()).toMatchObject({ step: "ship", progress: { currentStep: 4, totalSteps: 4 } });
    expect(machine.advance("out").status).toBe("complete");
    expect(machine.getContext()).toEqual({ plan: "p", ship: "out" });
  });

  test("in the middle of a loop goes on at its sub-step and task", () => {
    const machine = restore({
      ...nothing,
      status: "running",
      step: "build",
      stepType: "loop",
      task: { index: 1, id: "b", title: "B" },
      subStep: "verify",
      tasks: {
        build: [
          { id: "a", title: "A", status: "done" },
          { id: "b", title: "B", status: "in_progress" },
          { id: "c", title: "C", status: "pending" },
        ],
      },
    });
    expect(machine.getStatus().progress).toEqual({
      currentStep: 2,
      totalSteps: 4,
      completedTasks: 1,
      totalTasks: 3,
      currentTaskProgress: "Task 2/3, Sub-step 2/2",
    });
    expect(machine.advance("")).toMatchObject({ step: "build", subStep: "implement", task: { id: "c" } });
    expect(machine.getState().tasks.build?.map((task) => task.status)).toEqual(["done", "done", "in_progress"]);
    machine.advance("");
    expect(machine.advance("")).toMatchObject({ step: "polish", ralphIteration: 1 });
  });

  test("in the middle of a loop replaces the pending tasks only", () => {
    const machine = restore({
      ...nothing,
      status: "running",
      step: "build",
      stepType: "loop",
      task: { index: 1, id: "b", title: "B" },
      subStep: "implement",
      tasks: {
        build: [
          { id: "a", title: "A", status: "failed" },
          { id: "b", title: "B", status: "in_progress" },
          { id: "c", title: "C", status: "pending" },
        ],
      },
    });
    machine.setTasks("build", [{ id: "x", title: "X" }]);
    expect(machine.getState().tasks.build?.map((task) => `${task.id} ${task.status}`)).toEqual([
      "a failed",
      "b in_progress",
      "x pending",
    ]);
  });

  test("in the middle of a ralph step keeps its iteration", () => {
    const machine = restore({ ...nothing, status: "running", step: "polish", stepType: "ralph", ralphIteration: 2 });
    expect(machine.getStatus()).toMatchObject({ ralphIteration: 2, ralphTotal: 3 });
    expect(machine.advance("")).toMatchObject({ step: "polish", ralphIteration: 3 });
    expect(machine.advance("").step).toBe("ship");
  });

  test("at a loop without tasks asks for them", () => {
    const machine = restore({ ...nothing, status: "running", step: "build", stepType: "loop" });
    expect(machine.getStatus().instructions).toContain('the loop "build"');
    machine.setTasks("build", [{ id: "a", title: "A" }]);
    expect(machine.getStatus()).toMatchObject({ subStep: "implement", task: { id: "a" } });
  });

  test("at a loop that it came back to asks for new tasks, and shows the old ones as done", () => {
    const done = [{ id: "a", title: "A", status: "done" as const }];
    const machine = restore({ ...nothing, status: "running", step: "build", stepType: "loop", tasks: { build: done } });
    expect(machine.getState().tasks.build).toEqual(done);
    expect(machine.getStatus().instructions).toContain('Set the tasks of the loop "build"');
    machine.setTasks("build", [{ id: "b", title: "B" }]);
    expect(machine.getState().tasks.build).toEqual([{ id: "b", title: "B", status: "in_progress" }]);
  });

  test("before a loop whose tasks are set starts it on arrival", () => {
    const machine = restore({
      ...nothing,
      status: "running",
      step: "plan",
      stepType: "action",
      tasks: { build: [{ id: "a", title: "A", status: "pending" }] },
    });
    expect(machine.advance("")).toMatchObject({ step: "build", subStep: "implement", task: { id: "a", index: 0 } });
  });

  test("complete stays complete", () => {
    const machine = restore({
      ...nothing,
      status: "complete",
      step: "ship",
      stepType: "action",
      outputs: { ship: "out" },
      summary: "all of it",
    });
    expect(machine.advance("more")).toMatchObject({ status: "complete", agent: null, summary: "all of it" });
    expect(machine.getContext()).toEqual({ ship: "out" });
    expect(machine.getContextActionIfNeeded()).toBe(null);
  });

  test("from an older state has no artefacts and its context action still due", () => {
    const { artefacts: _a, contextActionExecuted: _c, ...older } = nothing;
    const machine = restore({
      ...older,
      status: "running",
      step: "build",
      stepType: "loop",
      task: { index: 0, id: "a", title: "A" },
      subStep: "implement",
      tasks: { build: [{ id: "a", title: "A", status: "in_progress" }] },
    });
    expect(machine.getState()).toMatchObject({ artefacts: [], contextActionExecuted: false });
    expect(machine.getContextActionIfNeeded()).toBe("compact");
  });

  test("at a place that the template does not have is refused", () => {
    expect(() => restore({ ...nothing, status: "running", step: "gone", stepType: "action" })).toThrow('"gone"');
    const task = { index: 0, id: "a", title: "A" };
    const inLoop = { ...nothing, status: "running", step: "build", stepType: "loop", task } as const;
    expect(() => restore({ ...inLoop, subStep: "gone" })).toThrow('"gone"');
  });

  test("keeps the action that a transition brought", () => {
    const moves = loadWorkflowTemplateFromString(`
name: test
description: a test
transitions: [{ from: a, to: b, context: clear }]
steps: [{ id: a, type: action, instructions: x }, { id: b, type: action, instructions: x }]
`);
    const machine = new WorkflowStateMachine(moves);
    machine.advance("");
    const restored = WorkflowStateMachine.fromState(moves, machine.getState());
    expect([machine.getContextActionIfNeeded(), restored.getContextActionIfNeeded()]).toEqual(["clear", "clear"]);
  });

  test("keeps how often a visit was tried, and why it failed", () => {
    const tried = loadWorkflowTemplateFromString(`
name: test
description: a test
steps: [{ id: a, type: action, instructions: x, on_fail: retry, max_retries: 1 }]
`);
    const machine = new WorkflowStateMachine(tried);
    machine.advance("flaky", { failed: true });
    const restored = WorkflowStateMachine.fromState(tried, machine.getState());
    expect(restored.getStatus().instructions).toContain("> flaky");
    expect(restored.advance("flaky again", { failed: true }).status).toBe("failed");
    expect(WorkflowStateMachine.fromState(tried, restored.getState()).getStatus().instructions).toBe(
      "Workflow failed at a: flaky again",
    );
  });
});

/** What a program might do next, before it is fitted to where the machine stands. */
const deed = fc.record({
  act: fc.constantFrom("advance", "advance", "advance", "fail", "tasks", "ahead", "mark", "summary"),
  pick: fc.nat(11),
});
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

function perform(machine: WorkflowStateMachine, { act, pick }: Deed): string {
  const template = machine.getTemplate();
  const { step } = machine.getState();
  const here = template.steps.findIndex((each) => each.id === step);
  const loops = template.steps.slice(here).filter((each) => each.type === "loop");
  const held = [0, 1].map((gate) => ({ gate, held: true, what: "check" }));
  const until = [{ gate: 0, held: pick % 4 === 0, what: "until" }];
  const outcomes = machine.getStatus().outcomes ?? [];
  const outcome = outcomes[pick % (outcomes.length || 1)];
  const list = Array.from({ length: pick % 4 }, (_, n) => ({ id: `t${pick}.${n}`, title: `Task ${n}` }));
  try {
    if (act === "advance") machine.advance(`o${pick}`, { outcome, gates: held, until });
    if (act === "fail") machine.advance(`red ${pick}`, { failed: true });
    if (act === "tasks" && template.steps[here]?.type === "loop") machine.setTasks(step, list);
    if (act === "ahead") machine.setTasks(loops[pick % (loops.length || 1)]?.id ?? "none", list);
    if (act === "mark") machine.markContextActionExecuted();
    if (act === "summary") machine.setSummary(`about ${pick}`);
    return "";
  } catch (error) {
    return String(error);
  }
}

/** Nobody approves in a library, so the templates ask nobody. */
function withoutApprovals(template: Template): Template {
  const strip = <T extends object>(part: T): T =>
    "gate" in part && Array.isArray(part.gate)
      ? { ...part, gate: part.gate.filter((gate) => !isApproval(gate)) }
      : part;
  const loops = Object.entries(template.loops ?? {}).map(([id, subSteps]) => [id, subSteps.map(strip)]);
  return { ...template, steps: template.steps.map(strip), loops: Object.fromEntries(loops) };
}

test.each([
  ["at a command", { id: "first", type: "command", run: "npm run build" }, "true"],
  [
    "before a condition on a step that has ended",
    { id: "first", type: "action", instructions: "Act" },
    "state.steps.first.status != 'done'",
  ],
] as const)("a machine that was saved %s goes on as it would have", (_where, first, when) => {
  const last = { id: "last", type: "action", instructions: "End" } as const;
  const middle = { id: "middle", type: "action", instructions: "Act", when } as const;
  const template: Template = { name: "pinned", description: "A counterexample", steps: [first, middle, last] };
  const machine = new WorkflowStateMachine(template);
  const restored = WorkflowStateMachine.fromState(template, JSON.parse(JSON.stringify(machine.getState())));
  for (const one of [machine, restored]) one.advance("done");
  expect(restored.getState()).toEqual(machine.getState());
  const again = WorkflowStateMachine.fromState(template, JSON.parse(JSON.stringify(machine.getState())));
  for (const one of [machine, again]) one.advance("done");
  expect(again.getState()).toEqual(machine.getState());
});

test("a machine that was saved and restored behaves the same from there to the end", () => {
  const ends = new Set<string>();
  fc.assert(
    fc.property(randomTemplate, fc.array(deed, { maxLength: 40 }), fc.nat(40), (random, deeds, cut) => {
      const template = withoutApprovals(random);
      const machine = new WorkflowStateMachine(template);
      for (const each of deeds.slice(0, cut)) perform(machine, each);
      const restored = WorkflowStateMachine.fromState(template, JSON.parse(JSON.stringify(machine.getState())));
      const look = (one: WorkflowStateMachine) => [one.getState(), one.getStatus(), one.getContextActionIfNeeded()];
      expect(look(restored)).toEqual(look(machine));
      for (const each of deeds.slice(cut)) {
        expect(perform(restored, each)).toBe(perform(machine, each));
        expect(look(restored)).toEqual(look(machine));
      }
      ends.add(machine.getState().status);
    }),
    cases({ quick: 30, long: 2_000, soak: 20_000 }),
  );
  expect([...ends].sort()).toEqual(["complete", "failed", "running"]);
});
