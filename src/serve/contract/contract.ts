// What the server and the page say to each other. Only types: the page imports nothing else from the rest of the house.

/** What a token, or the cookie of a page, may do. An agent may call the MCP tools; a person may decide. */
export type Level = "read" | "agent" | "person";

/** `GET /api/me` */
export interface Me {
  readonly level: Level;
  /** The person whose name is recorded with what is done here, or the name of the token. */
  readonly name: string;
  readonly version: string;
  /** Whether no link of this server lets anybody decide. */
  readonly isReadOnly: boolean;
}

/** `GET /api/projects`: those where this user ran `init`, `start` or `serve`. */
export interface ProjectRow {
  /** Stands for the project in addresses. */
  readonly id: string;
  readonly name: string;
  readonly folder: string;
  /** Why it cannot be read; null if it can. */
  readonly problem: string | null;
}

/** The columns of the first screen, in their order. */
export type Column = "needs-you" | "working" | "waiting" | "done" | "failed";

/** What a run waits for a person to do. */
export type WaitKind = "approval" | "answer" | "review" | "decision" | "resume" | "context-action";

export interface CardWait {
  readonly kind: WaitKind | "parked" | "agent";
  readonly text: string;
}

export interface RunCard {
  readonly project: string;
  readonly runId: string;
  readonly workflow: string;
  readonly summary: string | null;
  readonly column: Column;
  readonly status: string;
  readonly step: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly endedAt: string | null;
  /** What it waits for, in words for a person; null if for nothing. A parked run, or one that no agent has, waits too. */
  readonly waitsFor: CardWait | null;
  /** Set for a run of the team that has no copy on this machine: whoever opens it fetches one. */
  readonly here?: false;
}

/** How the runs of a project with a shared store came about. */
export interface TeamList {
  readonly project: string;
  /** How many older runs there are; `moreThan` if they were not counted to the end. */
  readonly more: number;
  readonly moreThan?: true;
  /** Set if the shared store could not be asked, and these are the copies here: when it last answered, and why not now. */
  readonly asOf?: string | null;
  readonly problem?: string;
  readonly next?: string;
}

/** `GET /api/runs?search=&column=&project=&from=0&count=100`, newest first, over all projects. */
export interface RunsPage {
  /** How many runs each column has; with a search, how many of those that were found. */
  readonly counts: Readonly<Record<Column, number>>;
  /** How many there are for this column. */
  readonly total: number;
  readonly from: number;
  readonly cards: readonly RunCard[];
  /** Runs that cannot be read, with what to do. */
  readonly damaged: readonly {
    readonly project: string;
    readonly runId: string;
    readonly problem: string;
    readonly next: string;
  }[];
  /** One for each project with a shared store. */
  readonly teams: readonly TeamList[];
}

/** Something that can be done with one key: the operation to call, and with what. */
export interface Choice {
  readonly key: string;
  readonly label: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The name of the input for what the person types; null if nothing is asked. */
  readonly text: {
    readonly name: string;
    readonly label: string;
    readonly isNeeded: boolean;
    /** In characters. */
    readonly longest: number;
    /** Set if it must be one of these. */
    readonly options?: readonly string[];
  } | null;
  /** What the person is told before they confirm it; null if it is done at once. */
  readonly warning: string | null;
}

/** Something to look at before deciding: what a gate printed, a diff stat, a plan. */
export interface Evidence {
  readonly title: string;
  readonly text: string;
  readonly isCut: boolean;
}

/** `GET /api/inbox`: all that waits for a person, oldest first. */
export interface InboxItem {
  /** Stays the same while it waits. */
  readonly id: string;
  readonly project: string;
  readonly runId: string;
  readonly workflow: string;
  readonly summary: string | null;
  readonly step: string;
  readonly task: string | null;
  readonly kind: WaitKind;
  /** One line: what is asked for. */
  readonly title: string;
  readonly text: string;
  readonly since: string;
  readonly choices: readonly Choice[];
  readonly evidence: readonly Evidence[];
}

/** `GET /api/projects/:project/workflow?workflow=`: for whoever wants to check, trust or start it. */
export interface WorkflowDetails {
  readonly name: string;
  readonly origin: "project" | "built-in";
  readonly file: string;
  readonly description: string;
  /** The text of the file, which the lines of problems belong to. */
  readonly source: string;
  readonly problems: readonly WorkflowProblem[];
  /** Sent with `trust`, so that nobody trusts what they have not seen; null if the workflow cannot be loaded. */
  readonly hash: string | null;
  readonly variables: readonly WorkflowVariable[];
  readonly trust: {
    readonly isNeeded: boolean;
    readonly isGiven: boolean;
    /** What it executes and grants, a line each. */
    readonly covers: readonly string[];
    /** What is different from what was last trusted: lines with `+` or `-`. */
    readonly changes: readonly string[];
  } | null;
}

export interface WorkflowProblem {
  readonly severity: "error" | "warning";
  readonly path: string;
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
  /** Set if it is in a workflow that is extended. */
  readonly file: string | null;
}

export interface WorkflowVariable {
  readonly name: string;
  /** Null for the short form, which takes any value. */
  readonly type: "text" | "number" | "flag" | "choice" | "path" | "command" | null;
  readonly isRequired: boolean;
  readonly default: string | number | boolean | null;
  readonly description: string | null;
  readonly choices: readonly string[] | null;
  readonly pattern: string | null;
}

/** What was taken, in one row of a table or one bar of a plot. */
export interface Spent {
  readonly name: string;
  readonly runs: number;
  readonly minutes: number;
  readonly tokens: number;
  readonly cost: number;
}

/**
 * `GET /api/costs?days=30&project=`. A day is one in UTC. Each run is counted on its first day in this time, so that the days add up;
 * what it took is on the day when it took it.
 */
export interface Costs {
  readonly days: readonly Spent[];
  readonly workflows: readonly Spent[];
  readonly steps: readonly Spent[];
  readonly runs: readonly (Spent & { readonly project: string })[];
  /** Set if there were more runs in this time than are counted. */
  readonly leftOut: number;
}

/**
 * `GET /api/live`, and `GET /api/live?project=&run=` for one run: server-sent events, each with an id from which a reader
 * goes on after a break (`Last-Event-ID`). `reset` tells a reader that what it missed is not known: it reads all anew.
 */
export type LiveMessage =
  | { readonly type: "run"; readonly card: RunCard }
  | { readonly type: "gone"; readonly project: string; readonly runId: string }
  | { readonly type: "moved"; readonly project: string; readonly runId: string; readonly lastEvent: number }
  | { readonly type: "reset" };

/** The body of every error, with an HTTP error status. */
export interface ApiProblem {
  readonly error: { readonly code: string; readonly message: string; readonly next: string };
}
