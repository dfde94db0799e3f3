// What the server tells the page about one run. Only types, as in contract.ts.

export type NodeStatus = "open" | "done" | "skipped" | "failed" | "left" | "ahead";

export interface GraphNode {
  readonly id: string;
  readonly type: string;
  readonly phase: string;
  readonly status: NodeStatus;
  readonly visits: number;
  readonly minutes: number;
  readonly retries: number;
  readonly gatesPassed: number;
  readonly gatesFailed: number;
  readonly tokens: number;
  /** In US dollars. */
  readonly cost: number;
  /** What must hold before the step may end. */
  readonly gates: readonly string[];
  /** A loop's tasks, at most 200 of them around the current ones. */
  readonly tasks: {
    readonly total: number;
    readonly done: number;
    readonly failed: number;
    readonly shown: readonly { readonly id: string; readonly title: string; readonly status: NodeStatus }[];
  } | null;
  readonly subSteps: readonly string[];
}

/** `GET /api/projects/:project/run-graph?run=&at=` */
export interface RunGraph {
  readonly runId: string;
  readonly status: string;
  /** The event that this is the state after, and the last one of the run. */
  readonly event: number;
  readonly lastEvent: number;
  /** The steps that the run is in now. */
  readonly current: readonly string[];
  readonly nodes: readonly GraphNode[];
  /** `to` is a node, or how the run ends: `complete` or `fail`. */
  readonly edges: readonly { readonly from: string; readonly to: string; readonly label: string | null }[];
}

/** One visit of a step, with everything that happened in it. */
export interface VisitRow {
  readonly token: string;
  readonly step: string;
  readonly subStep: string | null;
  readonly task: string | null;
  readonly number: number;
  readonly status: "open" | "done" | "failed" | "closed";
  readonly enteredAt: string;
  readonly endedAt: string | null;
  readonly firstEvent: number;
  readonly lastEvent: number;
  readonly attempts: number;
  readonly gatesPassed: number;
  readonly gatesFailed: number;
  readonly contextActions: readonly string[];
  readonly tokens: number;
  readonly cost: number;
  readonly outcome: string | null;
  /** The beginning of its output. */
  readonly output: string | null;
}

/**
 * `GET /api/projects/:project/timeline?run=&search=&from=0&count=100`, oldest first. A search looks at steps, tasks, outcomes
 * and the beginning of outputs, and `total` is how many were found.
 */
export interface Timeline {
  readonly runId: string;
  readonly lastEvent: number;
  readonly total: number;
  readonly from: number;
  readonly rows: readonly VisitRow[];
}

/**
 * `GET /api/projects/:project/visit?run=&token=&after=0&count=100`: what happened in one visit, oldest first, with long texts
 * cut (`show` has an event whole). Events that belong to no visit, such as a compaction, are in it if they fell into its time.
 */
export interface VisitDetails {
  readonly runId: string;
  readonly row: VisitRow;
  readonly events: readonly VisitEvent[];
  /** The number to go on after; null if there are no more. */
  readonly next: number | null;
}

export interface VisitEvent {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  /** The other fields differ from type to type. */
  readonly [field: string]: unknown;
}

/** `GET /api/projects/:project/run-files?run=`: the files of a run in its worktree, as they are now. */
export interface RunFiles {
  readonly runId: string;
  readonly todo: {
    readonly file: string;
    readonly items: readonly { readonly text: string; readonly status: "pending" | "in_progress" | "done" }[];
    /** Somebody has changed it since the agent wrote it. */
    readonly isEdited: boolean;
    /** Why it cannot be shown; null if it can. */
    readonly problem: string | null;
  } | null;
  /** Null for a run that has ended: there is no context any more that they could be in. */
  readonly artifacts: readonly ArtifactState[] | null;
  /** The paths that agents have registered with the run. */
  readonly registered: readonly string[];
}

export interface ArtifactState {
  readonly id: string;
  readonly path: string | null;
  readonly bytes: number | null;
  /** How it compares with what is in the model's context. */
  readonly state: "fresh" | "changed" | "not-loaded" | "missing";
  readonly loadedAt: string | null;
  readonly note: string | null;
}

/** `GET /api/projects/:project/handoff?run=&at=`: what the model was shown. */
export interface ShownText {
  readonly runId: string;
  readonly event: number;
  /** Null if nothing was recorded up to this moment: then the text is made from the state. */
  readonly recorded: {
    readonly at: string;
    readonly event: number;
    readonly kind: string;
    readonly session: string | null;
  } | null;
  readonly text: string;
}
