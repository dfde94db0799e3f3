// What these screens read of the answers of `list`, `graph` and `start`.

export interface WorkflowRow {
  readonly name: string;
  readonly origin: "project" | "built-in";
  readonly description: string;
  readonly steps: number;
  readonly shadows: boolean;
  readonly extends: readonly { readonly name: string }[];
  readonly valid: boolean;
}

export interface WorkflowGraph {
  readonly steps: readonly {
    readonly id: string;
    readonly type: string;
    readonly phase: string;
    readonly when: string | null;
    readonly context: string | null;
    readonly gates: readonly string[];
    readonly approval: boolean;
    readonly hints: readonly string[];
    readonly command: string | null;
    readonly tasks: string | null;
    readonly parallel: number | null;
    readonly passes: number | null;
    readonly until: readonly string[];
    readonly subSteps: readonly { readonly id: string; readonly gates: readonly string[] }[];
  }[];
  readonly moves: readonly { readonly from: string; readonly to: string; readonly outcome: string | null }[];
}

/** One step, as the workflow has it. */
export type WorkflowStep = WorkflowGraph["steps"][number];

export interface Started {
  readonly runId: string;
}
