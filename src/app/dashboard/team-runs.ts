import { join } from "node:path";
import { isHoldfastError } from "../../errors.ts";
import type { Glance } from "../../journal/stored-runs.ts";
import type { Deps } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/links.ts";
import type { TeamList } from "../../serve/contract/contract.ts";
import { readReach } from "../../store/reach.ts";
import { lastReached, listShared } from "../queries/list-shared.ts";
import { elsewhereCard, type RunCard } from "./run-card.ts";

/** The newest runs of a team, as far as they have no copy here. */
export interface TeamRuns {
  readonly elsewhere: readonly Glance[];
  readonly list: Omit<TeamList, "project">;
}

/** So many of the team's newest runs are looked at. */
const newest = 200;

/** Null if runs are in files. Whatever keeps the shared store from answering is told in the list: the copies can be shown. */
export async function teamRuns(deps: Deps): Promise<TeamRuns | null> {
  try {
    const listed = await listShared(deps, { live: undefined, limit: newest });
    if (listed === null) return null;
    if (!("rows" in listed)) return { elsewhere: [], list: listed };
    const { rows, ...list } = listed;
    const copied = new Set(deps.index.names());
    return { elsewhere: rows.filter(({ runId }) => !copied.has(runId)), list };
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    return { elsewhere: [], list: { more: 0, ...lastReached(deps, error) } };
  }
}

/** The most runs of the team, of those that wait and of those that run, whose copies are fetched for one look. */
const mostFetched = 50;

/**
 * Fetches copies of the team's newest runs in which something may wait for a person, so that any of the team can decide. In
 * one that runs, that is a task of a loop beside which others go on.
 */
export async function fetchWaiting(deps: Deps): Promise<void> {
  const copied = await deps.shared();
  if (copied === null || copied instanceof Error) return;
  try {
    const { shared } = copied;
    const listed = [
      ...(await shared.listRuns({ limit: mostFetched, status: ["waiting", "review", "paused"] })),
      ...(await shared.listRuns({ limit: mostFetched, status: ["running"] })),
    ];
    const here = new Set(deps.index.names());
    await copied.refresh(listed.map(({ run }) => run).filter((run) => !here.has(run)));
  } catch (error) {
    // The board says that the shared store does not answer, and why.
    if (!isHoldfastError(error)) throw error;
  }
}

/** The cards of those of these runs that have no copy here. */
export async function cardsElsewhere(deps: Deps, runs: ReadonlySet<string>): Promise<readonly RunCard[]> {
  const { elsewhere } = (await teamRuns(deps)) ?? { elsewhere: [] };
  return elsewhere.filter(({ runId }) => runs.has(runId)).map(elsewhereCard);
}

/** Whether the last attempt to reach the shared store has failed. */
export function isTeamAway({ roots }: Deps): boolean {
  return readReach(join(roots.stateRoot, stateFolder)).failed !== null;
}
