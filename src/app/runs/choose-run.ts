import { HoldfastError, isHoldfastError } from "../../errors.ts";
import { isLiveStanding, type LiveStanding, type Standing } from "../../journal/run-journal.ts";
import type { RunEvent } from "../../model/event.ts";
import type { EndedRun } from "../../model/run.ts";
import { isRunId } from "../../model/run-id.ts";
import { isLive } from "../../model/run-state.ts";
import { minutesBetween } from "../../model/time.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";

/** The run a call means: the named one, the one this session works on, this worktree's own, or the only live one. */
export function chooseRun(deps: Deps, named: string | undefined): Promise<Outcome<Standing>> {
  return named === undefined ? chooseUnnamed(deps) : findRun(deps, named);
}

async function chooseUnnamed(deps: Deps): Promise<Outcome<Standing>> {
  const { session } = deps.caller;
  const seated = session === undefined ? undefined : await seatedRun(deps, session);
  if (seated !== undefined) return yes(seated);
  const { standings, damaged: unread } = await surveyRuns(deps);
  // No session of this machine has a run that came with the repository.
  const damaged = unread.filter(({ error }) => !isHoldfastError(error, "run-tracked"));
  const tracked = unread.length - damaged.length;
  const live = standings.filter(isLiveStanding);
  const bound = session === undefined ? undefined : await boundRun(deps, live, session);
  // A session without a readable run may belong to an unreadable one, so don't guess another.
  const guess = session === undefined || damaged.length === 0 ? onlyRun(live, deps.roots.worktree) : undefined;
  const chosen = bound ?? guess;
  if (chosen !== undefined) return yes(chosen);
  const [broken] = damaged;
  if (broken !== undefined && (live.length === 0 || session !== undefined)) throw broken.error;
  if (live.length === 0) return no({ code: "run-unknown", run: null, ...(tracked > 0 && { tracked }) });
  return no({ code: "run-ambiguous", runs: live.map(({ run }) => run.runId) });
}

/** The live run that the session works on. Other runs are read only if none is remembered, or if that has ended. */
async function seatedRun(deps: Deps, session: string): Promise<LiveStanding | undefined> {
  const remembered = deps.sessions.runOf(session);
  const standing = remembered === null ? null : await loadIfReadable(deps, remembered);
  if (standing !== null && isLiveStanding(standing) && isSeated(standing, session)) return standing;
  return boundRun(deps, await mostlyLive(deps), session);
}

/** Null also for a run that cannot be read: whoever asks for it by name is told why. */
async function loadIfReadable(deps: Deps, runId: string): Promise<Standing | null> {
  if (!isRunId(runId)) return null;
  deps.refuseLinks();
  try {
    return await loadRun(deps, runId);
  } catch (error) {
    if (isHoldfastError(error)) return null;
    throw error;
  }
}

/**
 * The same for an advance that may be a repetition: the run that this session was in when it ended, unless a live one is
 * its own or nobody's. A session that has finished its work must not end a visit of another session's run.
 */
export function chooseRunOrEnded(deps: Deps, named: string | undefined): Promise<Outcome<Standing>> {
  return named === undefined ? chooseUnnamedOrEnded(deps) : findRun(deps, named);
}

async function chooseUnnamedOrEnded(deps: Deps): Promise<Outcome<Standing>> {
  const chosen = await chooseUnnamed(deps);
  const { session } = deps.caller;
  if (session === undefined || !isOthers(chosen, session)) return chosen;
  const ended = await boundRun(deps, await allRuns(deps), session);
  return ended === undefined ? chosen : yes(ended);
}

/** Whether no live run is this session's own, or nobody's and so free to be taken. */
function isOthers(chosen: Outcome<Standing>, session: string): boolean {
  if (!chosen.ok) return chosen.refusal.code === "run-unknown" || chosen.refusal.code === "run-ambiguous";
  const { seats } = chosen.value.run;
  return seats.length > 0 && seats.every((seat) => seat.session !== session);
}

/**
 * The same for a question about a run: if none is live, the one that ended last, so that its end can be told. A
 * conversation is told the end of its own run even if others are live; on the command line a person may be asking.
 */
export async function chooseRunOrLast(deps: Deps, named: string | undefined): Promise<Outcome<Standing>> {
  const { face } = deps.caller;
  if (named === undefined && face === "mcp") return chooseUnnamedOrEnded(deps);
  const chosen = await chooseRun(deps, named);
  if (chosen.ok || named !== undefined || chosen.refusal.code !== "run-unknown") return chosen;
  const last = lastEnded(deps, await allRuns(deps));
  return last === undefined ? chosen : yes(last);
}

/** In minutes. After that, who asks on the command line means a run of today. */
const recently = 24 * 60;

/** A conversation knows its own run, however long ago it ended; a command line has only the worktree to go by. */
function lastEnded({ caller: { session }, roots, now }: Deps, runs: readonly Standing[]): Standing | undefined {
  const ended = runs.flatMap((standing) => (isLive(standing.run) ? [] : [{ standing, run: standing.run }]));
  const order = ({ run }: { readonly run: EndedRun }) => `${run.endedAt} ${run.runId}`;
  const latest = ended.sort((a, b) => (order(a) < order(b) ? 1 : -1));
  const isOwn = ({ run }: { readonly run: EndedRun }) => run.seats.some((seat) => seat.session === session);
  const recent = latest.filter(({ run }) => minutesBetween(run.endedAt, now()) <= recently);
  const chosen = recent.find(isOwn) ?? recent.find(({ run }) => run.worktree === roots.worktree);
  return chosen?.standing;
}

/** The run with this name: its id, the beginning of its id, or its workflow. */
export async function findRun(deps: Deps, named: string): Promise<Outcome<Standing>> {
  const found = await findRunId(deps, named);
  if (!found.ok) return found;
  const standing = await loadRun(deps, found.value);
  return standing === null ? no({ code: "run-unknown", run: named }) : yes(standing);
}

/** The id behind a name. If several runs match it, only those that are live, or ended, as `first` says. */
export async function findRunId(deps: Deps, named: string, first: "live" | "ended" = "live"): Promise<Outcome<string>> {
  deps.refuseLinks();
  if (isRunId(named)) return yes(named);
  const alike = named === "" ? [] : (await deps.store.list()).filter((runId) => runId.startsWith(named));
  const found = only(alike);
  if (found !== undefined) return yes(found);
  // An id begins with the name of its workflow, unless that name has other characters than an id.
  const { standings } = await survey(deps, (runId) => alike.length > 0 && !alike.includes(runId));
  const ofWorkflow = standings.filter(({ run }) => run.workflow === named).map(({ run }) => run.runId);
  const matches = ofWorkflow.length > 0 ? ofWorkflow : alike;
  const live = new Set(standings.filter(isLiveStanding).map(({ run }) => run.runId));
  const preferred = matches.filter((runId) => live.has(runId) === (first === "live"));
  const meant = preferred.length > 0 ? preferred : matches;
  const [runId] = meant;
  if (runId === undefined) return no({ code: "run-unknown", run: named });
  return meant.length === 1 ? yes(runId) : no({ code: "run-ambiguous", runs: meant, named });
}

export async function liveRuns(deps: Deps): Promise<LiveStanding[]> {
  return (await allRuns(deps)).filter(isLiveStanding);
}

/**
 * Adds the other live runs to a reply on the command line, where any of them could have been meant. Whoever gave
 * its whole id meant no other, and need not wait until all of them are read.
 */
export async function withOtherRuns<T extends { readonly runId: string }>(
  deps: Deps,
  named: string | undefined,
  reply: T,
): Promise<T> {
  if (deps.caller.face !== "cli" || named === reply.runId) return reply;
  const live = (await mostlyLive(deps)).map(({ run }) => run.runId);
  const otherRuns = live.filter((runId) => runId !== reply.runId);
  return otherRuns.length === 0 ? reply : { ...reply, otherRuns };
}

export async function allRuns(deps: Deps): Promise<readonly Standing[]> {
  return (await surveyRuns(deps)).standings;
}

export interface Survey {
  readonly standings: readonly Standing[];
  /** Runs that cannot be read. They must not affect other runs. */
  readonly damaged: readonly { readonly runId: string; readonly error: HoldfastError }[];
}

export function surveyRuns(deps: Deps): Promise<Survey> {
  return survey(deps, () => false);
}

/**
 * The live runs, skipping those this process has already seen end, so that a call does not pay for all the runs before.
 * Only a repair or `holdfast reopen` revives a run, and a session without a run gets the complete list.
 */
export async function mostlyLive(deps: Deps): Promise<LiveStanding[]> {
  const { standings } = await survey(deps, (runId) => deps.journal.hadEnded(runId));
  return standings.filter(isLiveStanding);
}

async function survey(deps: Deps, isPassedOver: (runId: string) => boolean): Promise<Survey> {
  deps.refuseLinks();
  const standings: Standing[] = [];
  const damaged: { runId: string; error: HoldfastError }[] = [];
  for (const runId of await deps.store.list()) {
    if (isPassedOver(runId)) continue;
    try {
      const standing = await loadRun(deps, runId);
      if (standing !== null) standings.push(standing);
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      damaged.push({ runId, error });
    }
  }
  return { standings, damaged };
}

/** Events are appended under the id in the journal, so a copied run folder must not be accepted under another name. */
async function loadRun(deps: Deps, id: string): Promise<Standing | null> {
  const standing = await deps.journal.load(id);
  if (standing === null || standing.run.runId === id) return standing;
  throw new HoldfastError("state-broken", {
    file: id,
    problem: `its journal belongs to the run ${standing.run.runId}`,
  });
}

/** The run that is meant when none is named: the only live one in this worktree, or the only one at all. */
export function onlyRun<T extends Standing>(live: readonly T[], worktree: string | null): T | undefined {
  return only(live.filter(({ run }) => run.worktree === worktree)) ?? only(live);
}

function only<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** If a session works on several runs, it means the one it used last; only the journals tell which that is. */
async function boundRun<T extends Standing>(deps: Deps, runs: readonly T[], session: string): Promise<T | undefined> {
  const bound = runs.filter((standing) => isSeated(standing, session));
  if (bound.length < 2) return bound[0];
  const seen = await Promise.all(bound.map(({ run }) => lastHandedOutAt(deps, run.runId, session)));
  const latest = [...seen].sort().at(-1);
  return bound.findLast((_, index) => seen[index] === latest);
}

function isSeated({ run }: Standing, session: string): boolean {
  return run.seats.some((seat) => seat.session === session);
}

/** When the run last handed something to this session. The end of a visit does not count, as nobody may have waited. */
export async function lastHandedOutAt(deps: Deps, runId: string, session: string | undefined): Promise<string> {
  let latest = "";
  for await (const { events } of deps.store.read(runId)) {
    const isGiven = (event: RunEvent) =>
      "session" in event && event.session === session && event.type !== "visit-ended";
    latest = events.findLast(isGiven)?.at ?? latest;
  }
  return latest;
}
