import type { Status } from "../model/status.ts";
import type { Task as PlainTask, TaskStatus } from "../model/task.ts";
import type { Step, SubStep, Template } from "../model/template.ts";
import type { ContextActionName } from "../model/workflow-type.ts";

/** The public names of these types. */
export type WorkflowTemplate = Template;
export type WorkflowStep = Step;
export type LoopStep = SubStep;
export type StepContextAction = ContextActionName;

export type AgentConfig = NonNullable<Template["agents"]>[string];
export type WorkflowProgress = Status["progress"];
/** The current task in a status. */
export type TaskStatusContext = NonNullable<Status["task"]>;

export interface WorkflowTask extends PlainTask {
  status?: TaskStatus;
}
export type Task = WorkflowTask;

export interface TaskContext {
  index: number;
  id: string;
  title: string;
}

/** A run as a plain object that a program can save and restore. */
export interface WorkflowState {
  status: "running" | "complete" | "failed";
  step: string;
  stepType: "action" | "loop" | "ralph" | "command";
  task?: TaskContext;
  subStep?: string;
  ralphIteration?: number;
  tasks: Record<string, (PlainTask & { status: TaskStatus })[]>;
  /** Keyed by `step`, `step.iteration` or `loop.task.subStep`. */
  outputs: Record<string, string>;
  summary?: string;
  /** Absolute paths. */
  artefacts: string[];
  currentStepArtefacts?: boolean;
  contextActionExecuted: boolean;
  /** The visit's context action if a transition set it; a step's own action is in the template. */
  contextAction?: StepContextAction;
  /** The attempt at this visit, if it is the second or a later one. */
  attempt?: number;
  /** The outcome that each step ended with last, for the conditions of later steps. */
  outcomes?: Record<string, string>;
  /** What is known of each step, if a condition may read it. */
  steps?: Record<
    string,
    { visits: number; status: "open" | "done" | "skipped" | "failed" | "left"; outcome?: string | undefined }
  >;
  /** How often each step has gone elsewhere after a failure. */
  jumps?: Record<string, number>;
  /** The failure that led to this visit, if `on_fail` of another step did. */
  failedStep?: string;
  /** Where and why a failed run failed. */
  reason?: string;
  /** The template that the run goes by; older states have none. */
  workflow_definition?: WorkflowTemplate;
}

/** A state that an older version may have saved: the two newer fields may be missing. */
export type SavedState = Omit<WorkflowState, "artefacts" | "contextActionExecuted"> &
  Partial<Pick<WorkflowState, "artefacts" | "contextActionExecuted">>;

/** The engine's status without the fields of stored runs, and with the sub-step at the top level, too. */
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
