// What operations answer of which the page uses a part, as `holdfast <command> --json` prints it.

/** `overview` */
export interface Overview {
  readonly status: {
    readonly runId: string;
    readonly workflow: string;
    readonly status: string;
    readonly step: string;
    readonly phase: { readonly current: number; readonly total: number; readonly name: string };
    readonly progress: { readonly currentStep: number; readonly totalSteps: number };
    readonly usage?: { readonly turns: number; readonly tokens: number | null; readonly cost: number | null };
    readonly driven?: { readonly agent: string; readonly since: string };
    readonly summary?: string;
  };
  readonly startedAt: string;
  /** Now, or when the run ended. */
  readonly until: string;
  readonly budget: string | null;
  readonly runBudget: string | null;
  readonly liveSessions: number;
}

/** `context` */
export interface RunContext {
  readonly request?: string;
  readonly rules: {
    readonly visit: readonly string[];
    readonly requiredReading: readonly string[];
    readonly keyReminders: readonly string[];
    readonly variables: Readonly<Record<string, unknown>>;
  };
  readonly outputs: Readonly<Record<string, string>>;
  readonly decisions: readonly {
    readonly event: number;
    readonly step: string;
    readonly what: string;
    readonly by: string | null;
    readonly text: string;
  }[];
  readonly shortened: readonly string[];
}

/** `sessions` */
export interface Sessions {
  readonly current_session_id: string | null;
  readonly session_history: readonly SessionRow[];
}

export interface SessionRow {
  readonly session_id: string;
  readonly host: string | null;
  readonly host_version: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly end_reason: string | null;
  readonly environment: {
    readonly hostname: string | null;
    readonly platform: string;
    readonly cwd: string;
    readonly branch: string | null;
    readonly git_commit: string | null;
  } | null;
  readonly phases_completed: readonly string[];
  readonly steps_advanced: number;
  readonly compactions: number;
  readonly alive: boolean | null;
}
