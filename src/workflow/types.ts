import type { Status } from "../model/status.ts";
import type { Task, TaskStatus } from "../model/task.ts";
import type { Step, SubStep, Template } from "../model/template.ts";
import type { ContextActionName } from "../model/workflow-type.ts";

/** The names under which programs know these types. */
export type WorkflowTemplate = Template;
export type WorkflowStep = Step;
export type LoopStep = SubStep;
export type StepContextAction = ContextActionName;

export interface WorkflowTask extends Task {
  status?: TaskStatus;
}

export interface TaskContext {
  index: number;
  id: string;
  title: string;
}

/** A run as a plain object that a program can keep and bring back. */
export interface WorkflowState {
  status: "running" | "complete" | "failed";
  step: string;
  stepType: "action" | "loop" | "ralph";
  task?: TaskContext;
  subStep?: string;
  ralphIteration?: number;
  tasks: Record<string, (Task & { status: TaskStatus })[]>;
  /** By `step`, `step.iteration` or `loop.task.subStep`. */
  outputs: Record<string, string>;
  summary?: string;
  /** Absolute paths. */
  artefacts: string[];
  currentStepArtefacts?: boolean;
  contextActionExecuted: boolean;
  /** The visit's action where a transition brought it; a step's own is in the template. */
  contextAction?: StepContextAction;
  /** Which try at this visit, from the second on. */
  attempt?: number;
  /** Where and why a failed run failed. */
  reason?: string;
}

/** What an older program may have kept: the two fields that came later may be missing. */
export type SavedState = Omit<WorkflowState, "artefacts" | "contextActionExecuted"> &
  Partial<Pick<WorkflowState, "artefacts" | "contextActionExecuted">>;

/** The engine's status without what only a stored run has, and with the sub-step at the top as well. */
export interface WorkflowStatusResponse extends Omit<Status, "runId" | "workflow" | "status" | "phase" | "token"> {
  status: WorkflowState["status"];
  subStep?: string;
  subStepIndex?: number;
  totalSubSteps?: number;
}

export interface RegisteredArtefacts {
  registered: string[];
  duplicates: string[];
  invalid: string[];
}
