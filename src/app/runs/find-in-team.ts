import { isHoldfastError } from "../../errors.ts";
import { glanceIn } from "../../journal/listed-run.ts";
import type { Glance } from "../../journal/stored-runs.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";

/** Up to its year, at least: what is shorter can be the name of a workflow, and that means runs here. */
const beginningOfId = /^[a-z0-9-]{1,60}-\d{4}[a-z0-9_-]{0,20}$/;

/** More than anybody wants to choose from. */
const mostFound = 50;

/**
 * A run of the team that nobody works on here, by the beginning of its id. Without the shared store it is one of the copies
 * here. Null if there is none.
 */
export async function findInTeam(
  deps: Deps,
  copies: readonly Glance[],
  named: string,
  first: "live" | "ended",
): Promise<Outcome<string> | null> {
  if (!beginningOfId.test(named)) return null;
  const found = await runsAlike(deps, copies, named);
  const isCut = found.length === mostFound;
  const preferred = found.filter(({ isLive }) => isLive === (first === "live"));
  const meant = (preferred.length > 0 ? preferred : found).map(({ runId }) => runId);
  const [runId] = meant;
  if (runId === undefined) return null;
  if (meant.length === 1 && !isCut) return yes(runId);
  return no({ code: "run-ambiguous", runs: meant, named, ...(isCut && { atLeast: true }) });
}

interface Alike {
  readonly runId: string;
  readonly isLive: boolean;
}

async function runsAlike(deps: Deps, copies: readonly Glance[], named: string): Promise<readonly Alike[]> {
  const shared = await deps.shared();
  if (shared === null) return [];
  const here = copies
    .filter(({ runId }) => runId.startsWith(named))
    .map(({ runId, endedAt }) => ({ runId, isLive: endedAt === null }));
  try {
    if (shared instanceof Error) throw shared;
    const found = await shared.shared.findRuns(named, mostFound);
    return found.map((listed) => ({ runId: listed.run, isLive: (glanceIn(listed)?.endedAt ?? null) === null }));
  } catch (error) {
    // Without an answer, another run of the team may be the one that is meant.
    if (!isHoldfastError(error) || here.length === 0) throw error;
    return here;
  }
}
