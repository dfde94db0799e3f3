import * as z from "zod";
import { isHoldfastError } from "../../errors.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { RunStatus } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import { defineOperation, yes } from "../../operation/operation.ts";
import { surveyRuns } from "../runs/choose-run.ts";

export interface RunRow {
  readonly runId: string;
  readonly workflow: string;
  readonly status: RunStatus;
  readonly step: string;
  readonly summary: string | null;
  readonly worktree: string | null;
  readonly startedAt: string;
  readonly updatedAt: string;
}

export interface DamagedRow {
  readonly runId: string;
  readonly problem: string;
  readonly next: string;
  /** It is not damaged, but came with the repository. */
  readonly tracked?: true;
}

export const listRuns = defineOperation({
  summary: "List the runs of this project, newest first.",
  input: z.strictObject({ live: z.boolean().optional().describe("Only runs that are still live.") }),
  async run(deps, { live }) {
    const { standings, damaged } = await surveyRuns(deps);
    const rows = standings.filter(({ run }) => live !== true || isLive(run)).map(rowOf);
    return yes({
      runs: rows.sort((a, b) => compare(b.updatedAt, a.updatedAt) || compare(b.runId, a.runId)),
      damaged: damaged.map(({ runId, error }): DamagedRow => {
        const tracked = isHoldfastError(error, "run-tracked") ? ({ tracked: true } as const) : {};
        return { runId, problem: error.message, next: error.next, ...tracked };
      }),
    });
  },
});

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

export function rowOf({ run }: Standing): RunRow {
  const { runId, workflow, status, summary, worktree, startedAt, updatedAt } = run;
  return { runId, workflow, status, step: run.last?.step ?? "", summary, worktree, startedAt, updatedAt };
}
