/** Everything that a handoff tells of a run, or of a workflow that only its card knows. */
export interface HandoffFacts {
  /** Null for a tracked workflow, which has no run. */
  readonly runId: string | null;
  readonly workflow: string;
  readonly workflowType: string;
  readonly summary: string | null;
  readonly phase: HandoffPhase;
  readonly updatedAt: string;
  /** What is over and not to be redone, in order. */
  readonly done: readonly DoneItem[];
  /** Where the work goes on; null where only the phase is known. */
  readonly here: Here | null;
  readonly requiredReading: readonly { readonly path: string; readonly missing: boolean }[];
  readonly keyReminders: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
  readonly feedback: readonly Feedback[];
  readonly kept: Kept;
  /** Other live runs of the project. */
  readonly others: readonly { readonly id: string; readonly where: string }[];
  /** What the reader should know of the state itself: a file left out, a card set aside. */
  readonly notes: readonly string[];
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
}

export interface Here {
  readonly step: string;
  readonly number: number;
  readonly total: number;
  /** The task, sub-step or iteration within the step. */
  readonly within: string | null;
  readonly token: string;
  readonly instructions: string;
  /** The file that has the instructions whole, for when they are too long. */
  readonly instructionsFile: string | null;
  /** Why the agent must not go on by itself, if so. */
  readonly waiting: string | null;
}

export interface Feedback {
  readonly from: string;
  readonly text: string;
}

/** What a conversation may lose and the run does not. */
export interface Kept {
  /** What a person said when the work was turned back, and what that means for it. */
  readonly pivot: { readonly text: string | null; readonly about: string } | null;
  /** What the workflow carries over a context action, by name. */
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

export const nothingKept: Kept = { pivot: null, carried: [], answers: [], todo: null };
