import * as z from "zod";
import { isHoldfastError } from "../../errors.ts";
import type { Glance } from "../../journal/stored-runs.ts";
import { defineOperation, yes } from "../../operation/operation.ts";
import { isLiveGlance, newestFirst, surveyRuns } from "../runs/choose-run.ts";

export type RunRow = Omit<Glance, "endedAt" | "sessions">;

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
    const { glances, damaged } = await surveyRuns(deps);
    const rows = glances.filter((glance) => live !== true || isLiveGlance(glance));
    return yes({
      runs: newestFirst(rows.reverse()).map(rowOf),
      damaged: damaged.map(({ runId, error }): DamagedRow => {
        const tracked = isHoldfastError(error, "run-tracked") ? ({ tracked: true } as const) : {};
        return { runId, problem: error.message, next: error.next, ...tracked };
      }),
    });
  },
});

export function rowOf({ endedAt: _endedAt, sessions: _sessions, ...row }: Glance): RunRow {
  return row;
}
