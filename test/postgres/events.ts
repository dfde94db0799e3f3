import type { EventOf, RunEvent } from "../../src/model/event.ts";

export const at = "2026-01-01T00:00:00.000Z";

export const startEvent: EventOf<"run-started"> = {
  ...{
    seq: 1,
    at,
    type: "run-started",
    runId: "first-20260101_000000-aaaa",
    workflow: "plan",
    workflowType: "custom",
  },
  ...{ worktree: null, templateHash: `sha256:${"0".repeat(64)}`, summary: null, variables: {} },
};

/** An event with a text, that any run may have. */
export function noted(seq: number, summary: string): RunEvent {
  return { seq, at, type: "summary-set", summary };
}
