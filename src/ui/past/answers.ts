import type { NodeStatus } from "../../serve/contract/run-answers.ts";

// What this screen reads of the answers of `overview` and `diff`.

export interface OverviewAt {
  readonly status: {
    readonly workflow: string;
    readonly status: string;
    readonly step: string;
    readonly token: string | null;
    readonly summary?: string;
    readonly instructions: string;
    readonly task?: { readonly id: string; readonly title: string; readonly index: number; readonly total: number };
    readonly question?: { readonly text: string };
    readonly decision?: { readonly why: string; readonly reason: string };
    readonly moment?: { readonly event: number; readonly type: string; readonly at: string };
  };
  readonly startedAt: string;
  readonly until: string;
  readonly steps: readonly {
    readonly id: string;
    readonly status: NodeStatus;
    readonly visits: number;
    readonly tasks: string | null;
  }[];
  readonly budget: string | null;
  readonly used: string | null;
}

export interface Differences {
  readonly changes: readonly {
    readonly area: string;
    readonly name: string;
    readonly from: unknown;
    readonly to: unknown;
  }[];
  readonly gates: readonly {
    readonly event: number;
    readonly token: string;
    readonly what: string;
    readonly held: boolean;
  }[];
  readonly events: Readonly<Record<string, number>>;
}
