// What commands such as `status` and `diff` answer, as far as the page shows it. `holdfast <command> --json` prints the same,
// with more. Only types, as in contract.ts.
import type { NodeStatus } from "./run-answers.ts";

/** `GET /api/projects/:project/overview?run=&at=` */
export interface RunOverview {
  readonly status: {
    readonly runId: string;
    readonly workflow: string;
    readonly status: string;
    readonly step: string;
    readonly token: string | null;
    readonly phase: { readonly current: number; readonly total: number; readonly name: string };
    readonly progress: { readonly currentStep: number; readonly totalSteps: number };
    readonly summary?: string | undefined;
    readonly task?:
      | { readonly id: string; readonly title: string; readonly index: number; readonly total: number }
      | undefined;
    readonly question?: { readonly text: string } | undefined;
    readonly decision?: { readonly why: string; readonly reason: string } | undefined;
    readonly usage?:
      | { readonly turns: number; readonly tokens: number | null; readonly cost: number | null }
      | undefined;
    readonly driven?: { readonly agent: string; readonly since: string } | undefined;
    /** Absent for now. */
    readonly moment?: PastMoment;
  };
  readonly startedAt: string;
  /** Now, or when the run ended. */
  readonly until: string;
  readonly steps: readonly {
    readonly id: string;
    readonly status: NodeStatus;
    readonly visits: number;
    /** The progress of a loop: `2/3`. */
    readonly tasks: string | null;
  }[];
  readonly budget: string | null;
  /** The same for the whole run. */
  readonly runBudget: string | null;
  /** What the run's agents have used so far; null if nothing is known of that. */
  readonly used: string | null;
  /** How many of the run's open sessions have a live process on this machine. */
  readonly liveSessions: number;
}

/** The event that an answer stands right after. */
export interface PastMoment {
  readonly event: number;
  readonly type: string;
  readonly at: string;
  /** The last event of the run so far. */
  readonly last: number;
}

/** `GET /api/projects/:project/diff?run=&from=&to=` */
export interface Differences {
  readonly runId: string;
  /** The earlier moment, whichever was given first. */
  readonly from: PastMoment;
  readonly to: PastMoment;
  readonly changes: readonly Difference[];
  /** How many changes there are beyond those. */
  readonly changesLeftOut: number;
  /** The last gates that were checked in between, the later moment included. */
  readonly gates: readonly CheckedGate[];
  /** How many gates were checked in between before those. */
  readonly gatesLeftOut: number;
  /** How many events of each type there are in between, the later moment included. */
  readonly events: Readonly<Record<string, number>>;
}

/** A fact that differs between the two moments. `from` or `to` is null where the fact did not exist. */
export interface Difference {
  readonly area:
    | "run"
    | "visit"
    | "step"
    | "tasks"
    | "variable"
    | "output"
    | "artifact"
    | "question"
    | "budget"
    | "used";
  readonly name: string;
  readonly from: unknown;
  readonly to: unknown;
}

export interface CheckedGate {
  readonly event: number;
  readonly token: string;
  readonly what: string;
  readonly held: boolean;
}

/** `GET /api/projects/:project/context?run=` */
export interface RunContext {
  /** What the person asked for, where it says more than the summary. */
  readonly request?: string;
  readonly rules: {
    readonly visit: readonly string[];
    readonly requiredReading: readonly string[];
    readonly keyReminders: readonly string[];
    readonly variables: Readonly<Record<string, unknown>>;
  };
  /** The latest output of each place, by its key. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly decisions: readonly RunDecision[];
  /** Keys whose output is shortened or left out; `holdfast show <event>` prints it in full. */
  readonly shortened: readonly string[];
}

/** A decision of a person or a step. */
export interface RunDecision {
  readonly event: number;
  readonly step: string;
  readonly what: string;
  readonly by: string | null;
  readonly text: string;
  /** The decision was made on another machine. */
  readonly foreign?: true;
}

/** `GET /api/projects/:project/sessions?run=` */
export interface RunSessions {
  readonly current_session_id: string | null;
  readonly session_history: readonly SessionRow[];
}

/** A conversation that has worked on a run. */
export interface SessionRow {
  readonly session_id: string;
  readonly host: string | null;
  /** The version of the agent program; null where it did not tell. */
  readonly host_version: string | null;
  readonly started_at: string;
  /** Null while the session is open, as far as is known. */
  readonly ended_at: string | null;
  readonly end_reason: string | null;
  /** `git_commit` is the documented name of the commit. */
  readonly environment: {
    readonly hostname: string | null;
    readonly platform: string;
    readonly cwd: string;
    readonly branch: string | null;
    readonly commit: string | null;
    readonly git_commit: string | null;
  } | null;
  readonly phases_completed: readonly string[];
  readonly steps_advanced: number;
  readonly compactions: number;
  /** Whether its process is alive on this machine; null if this machine cannot tell. */
  readonly alive: boolean | null;
}
