import * as z from "zod";
import { isHoldfastError } from "../../errors.ts";
import type { Glance } from "../../journal/stored-runs.ts";
import { defineOperation, yes } from "../../operation/operation.ts";
import { isLiveGlance, newestFirst, surveyRuns, workedOnHere } from "../runs/choose-run.ts";
import { listShared, type SharedList } from "./list-shared.ts";

export type RunRow = Omit<Glance, "endedAt" | "sessions"> & {
  /** Set in a project whose runs are shared: whether somebody has started it or worked on it from this clone. */
  readonly here?: boolean;
};

export interface DamagedRow {
  readonly runId: string;
  readonly problem: string;
  readonly next: string;
  /** It is not damaged, but came with the repository. */
  readonly tracked?: true;
}

export const listRuns = defineOperation({
  summary: "List the runs of this project, newest first.",
  input: z.strictObject({
    live: z.boolean().optional().describe("Only runs that are still live."),
    limit: z.int().min(1).max(100_000).optional().describe("The most runs; in a shared project 50 if left out."),
  }),
  async run(deps, { live, limit }) {
    const shared = await listShared(deps, { live, limit: limit ?? 50 });
    if (shared !== null && "rows" in shared) {
      const { rows, ...list } = shared;
      return yes({ runs: rows.map(({ here, ...glance }) => ({ ...rowOf(glance), here })), damaged: [], shared: list });
    }
    const { glances, damaged } = await surveyRuns(deps);
    const rows = glances.filter((glance) => live !== true || isLiveGlance(glance));
    const here = shared === null ? null : new Set(await workedOnHere(deps, rows));
    const row = (glance: Glance) => ({ ...rowOf(glance), ...(here !== null && { here: here.has(glance) }) });
    return yes({
      runs: newestFirst(rows.reverse()).map(row).slice(0, limit),
      damaged: damaged.map(({ runId, error }): DamagedRow => {
        const tracked = isHoldfastError(error, "run-tracked") ? ({ tracked: true } as const) : {};
        return { runId, problem: error.message, next: error.next, ...tracked };
      }),
      ...(shared !== null && { shared: shared as SharedList }),
    });
  },
});

export function rowOf({ endedAt: _endedAt, sessions: _sessions, ...row }: Glance): RunRow {
  return row;
}
