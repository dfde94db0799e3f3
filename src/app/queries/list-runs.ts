import { isHoldfastError } from "../../errors.ts";
import type { Glance } from "../../journal/stored-runs.ts";
import { type Deps, type Outcome, yes } from "../../operation/operation.ts";
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

export interface RunList {
  readonly runs: readonly RunRow[];
  readonly damaged: readonly DamagedRow[];
  /** Absent where runs are in files. */
  readonly shared?: SharedList;
}

interface RunFilter {
  /** Only runs that are still live. */
  readonly live?: boolean | undefined;
  readonly limit?: number | undefined;
}

/** Newest first. */
export async function listRuns(deps: Deps, { live, limit }: RunFilter): Promise<Outcome<RunList>> {
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
}

export function rowOf({ endedAt: _endedAt, sessions: _sessions, ...row }: Glance): RunRow {
  return row;
}
