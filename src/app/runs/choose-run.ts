import { join } from "node:path";
import { isHoldfastError } from "../../errors.ts";
import type { Survey } from "../../journal/run-index.ts";
import { isLiveStanding, type LiveStanding, type Standing } from "../../journal/run-journal.ts";
import type { Glance } from "../../journal/stored-runs.ts";
import type { RunEvent } from "../../model/event.ts";
import { isRunId } from "../../model/run-id.ts";
import { minutesBetween } from "../../model/time.ts";
import { type Deps, type No, no, type Outcome, yes } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/links.ts";
import { workedOnIn } from "../../store/copy-mark.ts";
import { isCopy } from "../../store/journal-file.ts";
import { findInTeam } from "./find-in-team.ts";
import { loadRun, survey } from "./survey-runs.ts";

/** The run a call means: the named one, the one this session works on, this worktree's own, or the only live one. */
export function chooseRun(deps: Deps, named: string | undefined): Promise<Outcome<Standing>> {
  return named === undefined ? upToDate(deps, chooseUnnamed(deps)) : findRun(deps, named);
}

/** The chosen run with what hooks have queued about it. */
async function upToDate(deps: Deps, choosing: Promise<Outcome<Standing>>): Promise<Outcome<Standing>> {
  const chosen = await choosing;
  return chosen.ok ? yes(await deps.deliverNotices(chosen.value)) : chosen;
}

async function chooseUnnamed(deps: Deps): Promise<Outcome<Standing>> {
  const { session } = deps.caller;
  const remembered = session === undefined ? undefined : await rememberedRun(deps, session);
  if (remembered !== undefined) return yes(remembered);
  const { glances, damaged: unread, bound } = await surveyFor(deps, session);
  const live = await workedOnHere(deps, glances);
  // No session of this machine has a run that came with the repository, nor goes on with one that the team has removed.
  const tracked = unread.filter(({ error }) => isHoldfastError(error, "run-tracked")).length;
  const own = session === undefined ? null : deps.sessions.runOf(session);
  const here = new Set((await workedOnHere(deps, unread)).map(({ runId }) => runId));
  const damaged = unread.filter(({ error, runId }) => {
    if (isHoldfastError(error, "run-removed")) return runId === own || (live.length === 0 && here.has(runId));
    return !isHoldfastError(error, "run-tracked");
  });
  // A session without a readable run may belong to an unreadable one, so don't guess another.
  const guess = session === undefined || damaged.length === 0 ? onlyRun(live, deps.roots.worktree) : undefined;
  const chosen = bound ?? guess;
  const standing = chosen === undefined ? null : await loadRun(deps, chosen.runId);
  if (standing !== null) return yes(standing);
  const [broken] = damaged;
  if (broken !== undefined && (live.length === 0 || session !== undefined)) throw broken.error;
  if (live.length === 0) return unknownRun(deps, null, tracked);
  return no({ code: "run-ambiguous", runs: newestFirst(live).map(({ runId }) => runId) });
}

/**
 * Without those shared runs that nobody has worked on from this clone: they are meant only where they are named. In a project that keeps its
 * runs in files again, a copy is meant only if no live run can be advanced.
 */
export async function workedOnHere<T extends { readonly runId: string; readonly endedAt?: string | null }>(
  deps: Deps,
  runs: readonly T[],
): Promise<readonly T[]> {
  if ((await deps.shared()) === null) {
    const movable = runs.filter(isMovable(deps));
    return movable.some(({ endedAt }) => endedAt == null) ? movable : runs;
  }
  const here = workedOnIn(
    runsIn(deps),
    runs.map(({ runId }) => runId),
  );
  return runs.filter(({ runId }) => here.has(runId));
}

/** The same without copies that can only be read. */
export async function movableHere(deps: Deps, runs: readonly Glance[]): Promise<readonly Glance[]> {
  return (await deps.shared()) === null ? runs.filter(isMovable(deps)) : workedOnHere(deps, runs);
}

const runsIn = ({ roots }: Deps) => join(roots.stateRoot, stateFolder, "runs");

function isMovable(deps: Deps) {
  const root = runsIn(deps);
  return ({ runId, endedAt }: { readonly runId: string; readonly endedAt?: string | null }) =>
    endedAt != null || !isCopy(root, runId);
}

/** The live run that the session works on, if it is the one that this machine remembers. */
async function rememberedRun(deps: Deps, session: string): Promise<LiveStanding | undefined> {
  const remembered = deps.sessions.runOf(session);
  const loaded = remembered === null ? null : await loadIfReadable(deps, remembered);
  // Its seat may be in the queue: a session that follows another one takes that one's seat over.
  const standing = loaded === null ? null : await deps.deliverNotices(loaded);
  if (standing !== null && isLiveStanding(standing) && isSeated(standing, session)) return standing;
  return undefined;
}

/** All live runs and the session's own. If that is found among those that had not ended, the others are not looked at. */
async function surveyFor(deps: Deps, session: string | undefined): Promise<Survey & { readonly bound?: Glance }> {
  const mostly = session === undefined ? null : await surveyMostly(deps);
  const early = session === undefined || mostly === null ? undefined : await boundRun(deps, mostly.glances, session);
  if (mostly !== null && early !== undefined) return { ...mostly, bound: early };
  const whole = mostly?.isWhole === true ? mostly : await survey(deps, { onlyLive: true });
  const bound = session === undefined ? undefined : await boundRun(deps, whole.glances, session);
  return bound === undefined ? whole : { ...whole, bound };
}

function isSeated({ run }: Standing, session: string): boolean {
  return run.seats.some((seat) => seat.session === session);
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
  return named === undefined ? upToDate(deps, chooseUnnamedOrEnded(deps)) : findRun(deps, named);
}

async function chooseUnnamedOrEnded(deps: Deps): Promise<Outcome<Standing>> {
  const chosen = await chooseUnnamed(deps);
  const { session } = deps.caller;
  if (session === undefined || !belongsToOthers(chosen, session)) return chosen;
  const ended = await boundRun(deps, await allRuns(deps), session);
  const standing = ended === undefined ? null : await loadRun(deps, ended.runId);
  return standing === null ? chosen : yes(standing);
}

/** Whether no live run is this session's own, or nobody's and so free to be taken. */
function belongsToOthers(chosen: Outcome<Standing>, session: string): boolean {
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
  if (named === undefined && face === "mcp") return chooseRunOrEnded(deps, named);
  const chosen = await chooseRun(deps, named);
  if (chosen.ok || named !== undefined || chosen.refusal.code !== "run-unknown") return chosen;
  const last = lastEnded(deps, await workedOnHere(deps, await allRuns(deps)));
  const standing = last === undefined ? null : await loadRun(deps, last.runId);
  return standing === null ? chosen : yes(standing);
}

/** In minutes. After that, who asks on the command line means a run of today. */
const recently = 24 * 60;

/** A conversation knows its own run, however long ago it ended; a command line has only the worktree to go by. */
function lastEnded({ caller: { session }, roots, now }: Deps, runs: readonly Glance[]): Glance | undefined {
  const ended = runs.flatMap((run) => (run.endedAt === null ? [] : [{ run, endedAt: run.endedAt }]));
  const recent = ended.filter(({ endedAt }) => minutesBetween(endedAt, now()) <= recently);
  const order = ({ run, endedAt }: (typeof ended)[number]) => `${endedAt} ${run.runId}`;
  const latest = recent.sort((a, b) => (order(a) < order(b) ? 1 : -1)).map(({ run }) => run);
  const isOwn = ({ sessions }: Glance) => session !== undefined && sessions.includes(session);
  return latest.find(isOwn) ?? latest.find(({ worktree }) => worktree === roots.worktree);
}

/** The run with this name: its id, the beginning of its id, or its workflow. */
export function findRun(deps: Deps, named: string): Promise<Outcome<Standing>> {
  return upToDate(deps, findNamed(deps, named));
}

async function findNamed(deps: Deps, named: string): Promise<Outcome<Standing>> {
  const found = await findRunId(deps, named);
  if (!found.ok) return found;
  const standing = await loadRun(deps, found.value);
  return standing === null ? unknownRun(deps, named) : yes(standing);
}

/**
 * The id behind a name. If several runs match it, only those that are live, or ended, as `first` says. In a shared project
 * it means a run that somebody works on here, and only then another one of the team whose id begins so.
 */
export async function findRunId(deps: Deps, named: string, first: "live" | "ended" = "live"): Promise<Outcome<string>> {
  deps.refuseLinks();
  if (isRunId(named)) return yes(named);
  const isAlike = (runId: string) => named !== "" && runId.startsWith(named);
  // An id begins with the name of its workflow, unless that name has other characters than an id.
  const hasAlike = deps.index.names().some(isAlike);
  const found = await survey(deps, { isPassedOver: (runId) => hasAlike && !isAlike(runId) });
  const [glances, damaged] = [await workedOnHere(deps, found.glances), await workedOnHere(deps, found.damaged)];
  const alike = [...glances, ...damaged]
    .map(({ runId }) => runId)
    .filter(isAlike)
    .sort();
  const unique = only(alike);
  if (unique !== undefined) return yes(unique);
  const ofWorkflow = glances.filter(({ workflow }) => workflow === named).map(({ runId }) => runId);
  const matches = ofWorkflow.length > 0 ? ofWorkflow : alike;
  const live = new Set(glances.filter(isLiveGlance).map(({ runId }) => runId));
  const preferred = matches.filter((runId) => live.has(runId) === (first === "live"));
  const meant = preferred.length > 0 ? preferred : matches;
  const [runId] = meant;
  if (runId === undefined) return (await findInTeam(deps, found.glances, named, first)) ?? unknownRun(deps, named);
  return meant.length === 1 ? yes(runId) : no({ code: "run-ambiguous", runs: meant, named });
}

export async function unknownRun(deps: Deps, run: string | null, tracked = 0): Promise<No> {
  const isShared = (await deps.shared()) !== null;
  return no({ code: "run-unknown", run, ...(tracked > 0 && { tracked }), ...(isShared && { shared: true }) });
}

export function isLiveGlance({ endedAt }: Glance): boolean {
  return endedAt === null;
}

export async function liveRuns(deps: Deps): Promise<readonly Glance[]> {
  return (await survey(deps, { onlyLive: true })).glances;
}

/** The live runs as they are; one that ends meanwhile is left out. All at once: a shared store may be far away. */
export async function loadLive(deps: Deps, runs: readonly Glance[]): Promise<LiveStanding[]> {
  const standings = await Promise.all(runs.map(({ runId }) => loadIfReadable(deps, runId)));
  return standings.filter((standing) => standing !== null).filter(isLiveStanding);
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
  const live = newestFirst(await workedOnHere(deps, await mostlyLive(deps))).map(({ runId }) => runId);
  const otherRuns = live.filter((runId) => runId !== reply.runId);
  return otherRuns.length === 0 ? reply : { ...reply, otherRuns };
}

export async function allRuns(deps: Deps): Promise<readonly Glance[]> {
  return (await surveyRuns(deps)).glances;
}

export function surveyRuns(deps: Deps): Promise<Survey> {
  return survey(deps, {});
}

/**
 * The live runs, skipping those this process has already seen end, so that a call does not pay for all the runs before.
 * Only a repair or `holdfast reopen` revives a run, and a session without a run gets the complete list.
 */
export async function mostlyLive(deps: Deps): Promise<readonly Glance[]> {
  return (await surveyMostly(deps)).glances;
}

function surveyMostly(deps: Deps): Promise<Survey> {
  const isPassedOver = (runId: string) => deps.journal.hadEnded(runId) ?? deps.index.hadEnded(runId);
  return survey(deps, { onlyLive: true, isPassedOver });
}

export function newestFirst(runs: readonly Glance[]): Glance[] {
  return [...runs].sort((a, b) => (a.updatedAt === b.updatedAt ? 0 : a.updatedAt < b.updatedAt ? 1 : -1));
}

/** The run that is meant when none is named: the only live one in this worktree, or the only one at all. */
export function onlyRun<T extends Pick<Glance, "worktree">>(
  live: readonly T[],
  worktree: string | null,
): T | undefined {
  return only(live.filter((run) => run.worktree === worktree)) ?? only(live);
}

function only<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** If a session works on several runs, it means the one it used last; only the journals tell which that is. */
async function boundRun(deps: Deps, runs: readonly Glance[], session: string): Promise<Glance | undefined> {
  const bound = runs.filter(({ sessions }) => sessions.includes(session));
  if (bound.length < 2) return bound[0];
  const seen = await Promise.all(bound.map(({ runId }) => lastHandedOutAt(deps, runId, session)));
  const latest = [...seen].sort().at(-1);
  return bound.findLast((_, index) => seen[index] === latest);
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
