import { RunId } from "../model/ids.ts";
import { isLive, type LiveRun } from "../model/run.ts";
import { type Deps, no, type Outcome, yes } from "./operation.ts";
import type { Standing } from "./run-journal.ts";

/** Which run is meant: the one named; the one this session sits in; this worktree's own; the only live one. */
export async function chooseRun(deps: Deps, named: string | undefined): Promise<Outcome<Standing>> {
  if (named !== undefined) return findRun(deps, named);
  const live = await liveRuns(deps);
  const { session } = deps.caller;
  const bound = live.filter(({ run }) => run.seats.some((seat) => seat.session === session));
  const here = live.filter(({ run }) => run.worktree === deps.roots.worktree);
  const chosen = [newestSeat(bound, session), only(here), only(live)].find((standing) => standing !== undefined);
  if (chosen !== undefined) return yes(chosen);
  if (live.length === 0) return no({ code: "run-unknown", run: null });
  return no({ code: "run-ambiguous", runs: live.map(({ run }) => run.runId) });
}

export async function findRun(deps: Deps, runId: string): Promise<Outcome<Standing>> {
  const standing = RunId.safeParse(runId).success ? await deps.journal.load(runId) : null;
  return standing === null ? no({ code: "run-unknown", run: runId }) : yes(standing);
}

export async function liveRuns(deps: Deps): Promise<(Standing & { readonly run: LiveRun })[]> {
  const runs: (Standing & { readonly run: LiveRun })[] = [];
  for (const standing of await allRuns(deps)) {
    const { run } = standing;
    if (isLive(run)) runs.push({ ...standing, run });
  }
  return runs;
}

export async function allRuns(deps: Deps): Promise<Standing[]> {
  const ids = await deps.store.list();
  const standings = await Promise.all(ids.map((id) => deps.journal.load(id)));
  return standings.filter((standing) => standing !== null);
}

function only<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** A session may have sat in several runs; it means the one that moved last. */
function newestSeat<T extends Standing>(bound: readonly T[], session: string | undefined): T | undefined {
  if (session === undefined) return undefined;
  return [...bound].sort((a, b) => (a.run.updatedAt < b.run.updatedAt ? 1 : -1))[0];
}
