export { type AgentWords, agentWords } from "../engine/view/agent-words.ts";
export type { Problem } from "../templates/problem.ts";
export { type DiscoverWorkflowsOptions, discoverWorkflows, type WorkflowMetadata } from "./discover.ts";
export {
  loadWorkflowTemplate,
  loadWorkflowTemplateFromString,
  validateTemplate,
  WorkflowValidationError,
} from "./loader.ts";
export { type AdvanceOptions, WorkflowStateMachine } from "./state-machine.ts";
export type {
  AgentConfig,
  LoopStep,
  RegisteredArtefacts,
  StepContextAction,
  Task,
  TaskContext,
  TaskStatusContext,
  WorkflowProgress,
  WorkflowState,
  WorkflowStatusResponse,
  WorkflowStep,
  WorkflowTask,
  WorkflowTemplate,
} from "./types.ts";
