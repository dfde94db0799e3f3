import { HoldfastError } from "../errors.ts";
import { RunId } from "../model/ids.ts";
import { isLive, type LiveRun } from "../model/run.ts";
import { type Deps, no, type Outcome, yes } from "./operation.ts";
import type { Standing } from "./run-journal.ts";
import { refuseLinks } from "./state-folder.ts";

/** Which run is meant: the one named; the one this session sits in; this worktree's own; the only live one. */
export async function chooseRun(deps: Deps, named: string | undefined): Promise<Outcome<Standing>> {
  if (named !== undefined) return findRun(deps, named);
  const live = await liveRuns(deps);
  const { session } = deps.caller;
  const bound = session === undefined ? undefined : await boundRun(deps, live, session);
  const here = live.filter(({ run }) => run.worktree === deps.roots.worktree);
  const chosen = [bound, only(here), only(live)].find((standing) => standing !== undefined);
  if (chosen !== undefined) return yes(chosen);
  if (live.length === 0) return no({ code: "run-unknown", run: null });
  return no({ code: "run-ambiguous", runs: live.map(({ run }) => run.runId) });
}

/** The same for an advance that may come again: where no run is live, the one that this session was in when it ended. */
export async function chooseRunOrEnded(deps: Deps, named: string | undefined): Promise<Outcome<Standing>> {
  const chosen = await chooseRun(deps, named);
  const { session } = deps.caller;
  if (chosen.ok || chosen.refusal.code !== "run-unknown" || named !== undefined || session === undefined) return chosen;
  const ended = await boundRun(deps, await allRuns(deps), session);
  return ended === undefined ? chosen : yes(ended);
}

export async function findRun(deps: Deps, runId: string): Promise<Outcome<Standing>> {
  refuseLinks(deps.roots.stateRoot);
  const standing = RunId.safeParse(runId).success ? await loadRun(deps, runId) : null;
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
  refuseLinks(deps.roots.stateRoot);
  const ids = await deps.store.list();
  const standings = await Promise.all(ids.map((id) => loadRun(deps, id)));
  return standings.filter((standing) => standing !== null);
}

/** What is decided on a run is appended under the id that its journal tells, so a copied folder must not pass for it. */
async function loadRun(deps: Deps, id: string): Promise<Standing | null> {
  const standing = await deps.journal.load(id);
  if (standing === null || standing.run.runId === id) return standing;
  throw new HoldfastError("state-broken", {
    file: id,
    problem: `its journal is that of the run ${standing.run.runId}`,
  });
}

function only<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** A session that sits in several runs means the one where it was last, which only the journals know. */
async function boundRun<T extends Standing>(deps: Deps, runs: readonly T[], session: string): Promise<T | undefined> {
  const bound = runs.filter(({ run }) => run.seats.some((seat) => seat.session === session));
  if (bound.length < 2) return bound[0];
  const seen = await Promise.all(bound.map(({ run }) => lastSeen(deps, run.runId, session)));
  const latest = [...seen].sort().at(-1);
  return bound.findLast((_, index) => seen[index] === latest);
}

async function lastSeen(deps: Deps, runId: string, session: string): Promise<string> {
  let latest = "";
  for await (const { events } of deps.store.read(runId)) {
    latest = events.findLast((event) => "session" in event && event.session === session)?.at ?? latest;
  }
  return latest;
}
