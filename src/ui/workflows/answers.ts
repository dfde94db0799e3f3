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
    readonly gates: readonly string[];
    readonly approval: boolean;
    readonly subSteps: readonly { readonly id: string }[];
  }[];
  readonly moves: readonly { readonly from: string; readonly to: string; readonly outcome: string | null }[];
}

export interface Started {
  readonly runId: string;
  readonly warning?: string;
}
