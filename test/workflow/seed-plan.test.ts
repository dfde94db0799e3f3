import { beforeEach, describe, expect, test } from "vitest";
import {
  loadWorkflowTemplateFromString,
  WorkflowStateMachine,
  type WorkflowTemplate,
  WorkflowValidationError,
} from "../../src/workflow/index.ts";

/** The tests of the context-actions plan, under their own names; a loop step carries its loop's key as id. */
describe("Context Management", () => {
  let templateWithContext: WorkflowTemplate;

  beforeEach(() => {
    templateWithContext = loadWorkflowTemplateFromString(`
name: context-test
description: Test context management

steps:
  - id: step_with_clear
    type: action
    context: clear
    instructions: Clear context first
  - id: step_with_compact
    type: action
    context: compact
    instructions: Compact context first
  - id: step_no_context
    type: action
    instructions: Normal step
`);
  });

  const started = (template: WorkflowTemplate) => {
    const machine = new WorkflowStateMachine(template);
    machine.start();
    return machine;
  };
  const oneTask = [{ id: "t1", title: "Task 1", status: "pending" as const }];

  describe("getContextActionIfNeeded", () => {
    test("Returns null when step has no context action", () => {
      const template = loadWorkflowTemplateFromString(`
name: test
description: Test
steps:
  - id: step1
    type: action
    instructions: Do something
`);
      expect(started(template).getContextActionIfNeeded()).toBe(null);
    });

    test("Returns clear action when step has context: clear", () => {
      expect(started(templateWithContext).getContextActionIfNeeded()).toBe("clear");
    });

    test("Returns compact action when step has context: compact", () => {
      const machine = started(templateWithContext);
      machine.advance("First step done");
      expect(machine.getContextActionIfNeeded()).toBe("compact");
    });

    test("Returns null after action is marked executed", () => {
      const machine = started(templateWithContext);
      machine.markContextActionExecuted();
      expect(machine.getContextActionIfNeeded()).toBe(null);
    });

    test("Sub-step context action takes precedence over main step", () => {
      const template = loadWorkflowTemplateFromString(`
name: test
description: Test
loops:
  my_loop:
    - id: sub1
      context: clear
      instructions: Sub step with clear
    - id: sub2
      instructions: Sub step without
steps:
  - id: my_loop
    type: loop
    context: compact
`);
      const machine = started(template);
      machine.setTasks("my_loop", oneTask);
      expect(machine.getContextActionIfNeeded()).toBe("clear");
    });

    test("Returns null when sub-step has no context and main step has none", () => {
      const template = loadWorkflowTemplateFromString(`
name: test
description: Test
loops:
  my_loop:
    - id: sub1
      instructions: Sub step
steps:
  - id: my_loop
    type: loop
`);
      const machine = started(template);
      machine.setTasks("my_loop", oneTask);
      expect(machine.getContextActionIfNeeded()).toBe(null);
    });
  });

  describe("markContextActionExecuted", () => {
    test("Updates state flag to true", () => {
      const machine = started(templateWithContext);
      machine.markContextActionExecuted();
      expect(machine.getState().contextActionExecuted).toBe(true);
    });
  });

  describe("State Initialization and Reset", () => {
    test("contextActionExecuted initializes to false", () => {
      expect(started(templateWithContext).getState().contextActionExecuted).toBe(false);
    });

    test("contextActionExecuted resets when advancing to next step", () => {
      const machine = started(templateWithContext);
      machine.markContextActionExecuted();
      expect(machine.getState().contextActionExecuted).toBe(true);
      machine.advance("Done");
      expect(machine.getState().contextActionExecuted).toBe(false);
    });

    test("contextActionExecuted resets when advancing loop sub-steps", () => {
      const template = loadWorkflowTemplateFromString(`
name: test
description: Test
loops:
  my_loop:
    - id: sub1
      context: clear
      instructions: Sub 1
    - id: sub2
      context: compact
      instructions: Sub 2
steps:
  - id: my_loop
    type: loop
`);
      const machine = started(template);
      machine.setTasks("my_loop", oneTask);
      machine.markContextActionExecuted();
      machine.advance("Sub 1 done");
      expect(machine.getState().contextActionExecuted).toBe(false);
    });

    test("contextActionExecuted resets for each ralph iteration", () => {
      const template = loadWorkflowTemplateFromString(`
name: test
description: Test
steps:
  - id: refine
    type: ralph
    n: 3
    context: compact
    instructions: Refine
`);
      const machine = started(template);
      machine.markContextActionExecuted();
      machine.advance("Iter 1");
      expect(machine.getState().contextActionExecuted).toBe(false);
    });
  });

  describe("State Persistence", () => {
    test("contextActionExecuted is preserved when restoring state", () => {
      const machine = started(templateWithContext);
      machine.markContextActionExecuted();
      const restored = WorkflowStateMachine.fromState(templateWithContext, machine.getState());
      expect(restored.getState().contextActionExecuted).toBe(true);
      expect(restored.getContextActionIfNeeded()).toBe(null);
    });

    test("contextActionExecuted false is preserved when restoring state", () => {
      const machine = started(templateWithContext);
      const restored = WorkflowStateMachine.fromState(templateWithContext, machine.getState());
      expect(restored.getState().contextActionExecuted).toBe(false);
      expect(restored.getContextActionIfNeeded()).toBe("clear");
    });
  });
});

describe("Invalid Templates", () => {
  const withContext = (context: string) => `
name: context
description: A template
steps:
  - id: step1
    type: action
    context: ${context}
    instructions: Do something
`;

  test("Loader rejects template with invalid context value", () => {
    expect(() => loadWorkflowTemplateFromString(withContext("invalid"))).toThrow(WorkflowValidationError);
    expect(() => loadWorkflowTemplateFromString(withContext("invalid"))).toThrow(
      '7:14  steps[0].context  "invalid" is not a context action; use compact or clear',
    );
  });

  test("Loader accepts template with valid context: clear", () => {
    expect(loadWorkflowTemplateFromString(withContext("clear")).steps[0]?.context).toBe("clear");
  });

  test("Loader accepts template with valid context: compact", () => {
    expect(loadWorkflowTemplateFromString(withContext("compact")).steps[0]?.context).toBe("compact");
  });
});
