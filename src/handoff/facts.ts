/** Everything a handoff says about a run, or about a tracked workflow, which has only a state card. */
export interface HandoffFacts {
  /** Null for a tracked workflow. */
  readonly runId: string | null;
  /** Where the state of a tracked workflow is, relative to the project; null for a run, which is asked for by its id. */
  readonly stateFile: string | null;
  readonly workflow: string;
  readonly workflowType: string;
  readonly summary: string | null;
  /** What the person asked for, if it says more than the summary and the instructions do not have all of it. */
  readonly request: Request | null;
  readonly phase: HandoffPhase;
  readonly updatedAt: string;
  /** Set if the run lives in a shared store that could not be used: it may have gone on since then. */
  readonly copy?: { readonly asOf: string; readonly isSilent: boolean } | undefined;
  /** Finished work that must not be redone, in order. */
  readonly done: readonly DoneItem[];
  /** What the last ended visit gave; null if nothing, or if another part of the handoff has it. */
  readonly lastOutput: LastOutput | null;
  /** Where the work continues; null if only the phase is known, or if the session has no task or several. */
  readonly here: Here | null;
  /** The loop that several agents work on; null elsewhere. */
  readonly tasks: SharedTasks | null;
  readonly requiredReading: readonly { readonly path: string; readonly missing: boolean }[];
  readonly keyReminders: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
  readonly feedback: readonly Feedback[];
  readonly memory: RunMemory;
  /** Other live runs of the project. */
  readonly others: readonly { readonly id: string; readonly where: string }[];
  /** Remarks about the state itself, such as a file left out or a card set aside. */
  readonly notes: readonly string[];
}

export interface Request {
  /** Null if the instructions show its ends. */
  readonly text: string | null;
  /** A file with all of it, relative to the project, if it is long. */
  readonly file: string | null;
}

export interface HandoffPhase {
  readonly current: number;
  readonly total: number;
  readonly name: string;
  readonly status: string;
}

export interface DoneItem {
  readonly number: number;
  readonly step: string;
  readonly about: string;
  /** Where the step may have led elsewhere, even back to one before it. */
  readonly outcome?: string;
}

export interface LastOutput {
  readonly token: string;
  readonly text: string;
  readonly failed: boolean;
}

export interface Here {
  readonly step: string;
  readonly number: number;
  readonly total: number;
  /** The task, sub-step or iteration within the step. */
  readonly within: string | null;
  readonly token: string;
  readonly instructions: string;
  /** The file with the full instructions, if they are too long for the handoff. */
  readonly instructionsFile: string | null;
  /** What must hold before the visit may end, and the limits of the agent it is for. */
  readonly rules: readonly string[];
  /** What the agent must wait for, if anything. */
  readonly waiting: string | null;
}

/** What one of several agents may know of their loop: its own tasks, and how many the others have. */
export interface SharedTasks {
  readonly loop: string;
  /** Which step of the workflow the loop is. */
  readonly number: number;
  readonly steps: number;
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
  readonly total: number;
  /** How many tasks other agents work on. */
  readonly taken: number;
  /** How many are open that nobody works on. */
  readonly free: number;
  readonly own: readonly OwnTask[];
}

export interface OwnTask {
  readonly id: string;
  readonly title: string;
  readonly subStep: string;
  readonly token: string;
  /** What the agent must wait for, if anything. */
  readonly waiting: string | null;
}

export interface Feedback {
  readonly from: string;
  readonly text: string;
}

/** What the run remembers and a conversation may have lost. */
export interface RunMemory {
  /** A person's feedback from when the work was turned back, and what it means for the work. */
  readonly pivot: { readonly text: string | null; readonly about: string } | null;
  /** The values that the workflow carries across a context action. */
  readonly carried: readonly { readonly name: string; readonly text: string }[];
  readonly answers: readonly Answered[];
  readonly todo: TodoLine | null;
}

export interface Answered {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly by: string;
}

export interface TodoLine {
  readonly file: string;
  readonly items: number;
  readonly done: number;
  readonly current: string | null;
  readonly edited: boolean;
}

export const emptyMemory: RunMemory = { pivot: null, carried: [], answers: [], todo: null };
