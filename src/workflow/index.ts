export type { Problem } from "../templates/problem.ts";
export {
  loadWorkflowTemplate,
  loadWorkflowTemplateFromString,
  validateTemplate,
  WorkflowValidationError,
} from "./loader.ts";
export { type AdvanceOptions, WorkflowStateMachine } from "./state-machine.ts";
export type {
  LoopStep,
  RegisteredArtefacts,
  StepContextAction,
  TaskContext,
  WorkflowState,
  WorkflowStatusResponse,
  WorkflowStep,
  WorkflowTask,
  WorkflowTemplate,
} from "./types.ts";
