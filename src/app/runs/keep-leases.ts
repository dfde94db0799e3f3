import { isHoldfastError } from "../../errors.ts";
import type { RunEvent } from "../../model/event.ts";
import type { LiveRun, StartedRun, Visit } from "../../model/run.ts";
import { claimIn, isLive, processOf } from "../../model/run-state.ts";
import type { Claim } from "../../model/session.ts";
import type { Deps } from "../../operation/operation.ts";
import { isElsewhere, isRunnerAlive, thisRunner } from "../../platform/runner.ts";
import { timerDelay } from "../../platform/timers.ts";
import { isAliveHere } from "../../sessions/session-log.ts";
import { type Lease, type Leases, processLease } from "../../store/leases.ts";

/** How long a claim holds after the last sign of life of its holder. */
const leaseMs = 15 * 60_000;

/** For tests and impatient teams: another length of a lease, in seconds. */
const variable = "HOLDFAST_LEASE_SECONDS";

type Keeper = Pick<Deps, "leases" | "sessions" | "caller" | "now">;
type HoldingKeeper = Keeper & Pick<Deps, "journal">;

/** The claims of a run whose holders have given no sign of life for too long. Whoever claims now may take them over. */
export async function expiredClaims(deps: Keeper, run: LiveRun): Promise<number[]> {
  const claimed = run.visits.flatMap((visit) => (visit.claim == null ? [] : [{ visit, claim: visit.claim }]));
  if (claimed.length === 0) return [];
  const leases = await deps.leases.read(
    run.runId,
    claimed.map(({ claim }) => claim.number),
  );
  const expired = claimed.filter(({ visit, claim }) => !isHeld(deps, visit, claim, leases.get(claim.number)));
  return expired.map(({ claim }) => claim.number);
}

function isHeld(deps: Keeper, visit: Visit, { session, since }: Claim, lease: Lease | undefined): boolean {
  if (isRecent(deps, since) || (lease !== undefined && isRecent(deps, lease.at))) return true;
  const processes = [lease?.runner ?? null, processOf(visit)?.runner ?? null];
  // A process of another machine would have renewed the lease.
  if (processes.some((each) => each !== null && !isElsewhere(each) && isRunnerAlive(each))) return true;
  return session !== null && isAliveHere({ sessions: deps.sessions, isAlive: isRunnerAlive }, session) === true;
}

/** Whether a time is within the length of a lease. The clocks of two machines may differ. */
function isRecent(deps: Keeper, time: string): boolean {
  return Math.abs(Date.parse(deps.now()) - Date.parse(time)) <= lengthOf(deps);
}

function lengthOf({ caller: { env } }: Keeper): number {
  const seconds = Number(env[variable]);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : leaseMs;
}

interface Process {
  readonly runner: string;
  readonly since: string;
}

/** Whether the process that works on a visit, or drives a run, has ended. On another machine only its lease tells. */
export async function isRunnerGone(
  deps: Keeper,
  runId: string,
  { runner, since }: Process,
  claim: Claim | null | undefined,
): Promise<boolean> {
  if (!isElsewhere(runner)) return !isRunnerAlive(runner);
  if (isRecent(deps, since)) return false;
  const number = claim?.number ?? processLease;
  const lease = (await deps.leases.read(runId, [number])).get(number);
  return lease === undefined || !isRecent(deps, lease.at);
}

/** Renews a lease for as long as something is done, where other machines have nothing else to go by. */
export async function holdingLease<T>(
  deps: Keeper,
  runId: string,
  claim: Claim | null | undefined,
  act: () => Promise<T>,
): Promise<T> {
  if (!deps.leases.isShared()) return act();
  const stop = renewRegularly(deps, runId, claim?.number ?? processLease);
  try {
    return await act();
  } finally {
    stop();
  }
}

function renewRegularly(deps: Keeper, runId: string, number: number, isHeld = async () => true): () => void {
  const renew = async () => {
    if (await isHeld()) await deps.leases.renew(runId, number, { at: deps.now(), runner: thisRunner() });
  };
  // Whoever asks for the run is told what is wrong with it.
  const passOver = (error: unknown) => {
    if (!isHoldfastError(error)) throw error;
  };
  const timer = setInterval(() => void renew().catch(passOver), timerDelay(lengthOf(deps) / 3));
  // The lease must not keep alive what it is a sign of.
  timer.unref();
  return () => clearInterval(timer);
}

/** What this process renews, by run and claim. */
const renewed = new WeakMap<Leases, Map<string, () => void>>();

/** Keeps the leases in step with the claims after a change: new ones, ended ones, and those of the caller. */
export async function keepLeases(
  deps: HoldingKeeper,
  before: StartedRun,
  after: StartedRun,
  events: readonly RunEvent[],
): Promise<void> {
  const held = new Set([processLease, ...claimsIn(after).map(({ number }) => number)]);
  const ended = claimsIn(before).filter(({ number }) => !held.has(number));
  for (const { number } of ended) stopRenewing(deps, after.runId, number);
  await whereWritable(async () => {
    for (const claim of ownClaims(deps, before, after, events)) await renewClaim(deps, after.runId, claim);
    if (ended.length > 0) await deps.leases.endAllBut(after.runId, held, after.claims ?? 0);
  });
}

/** What a process that was killed in the last moment of a run has left, or the claims that a receipt has voided. */
export async function endLeases({ leases }: Keeper, { runId, claims }: StartedRun): Promise<void> {
  if (claims !== undefined) await whereWritable(() => leases.endAllBut(runId, new Set(), claims));
}

/** Without its lease a claim holds for as long as without a sign of life, and one too many does no harm. */
async function whereWritable(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!isHoldfastError(error) || !(error.code === "file-unwritable" || error.code.startsWith("store-"))) throw error;
  }
}

/** Those that were made now, those of the session, and those whose tokens were used. */
function ownClaims(
  { caller: { session } }: Keeper,
  { claims: earlier = 0 }: StartedRun,
  after: StartedRun,
  events: readonly RunEvent[],
): Claim[] {
  const used = new Set(events.flatMap((event) => ("token" in event ? [claimIn(event.token ?? "")] : [])));
  const isOwn = (claim: Claim) => session !== undefined && claim.session === session;
  return claimsIn(after).filter((claim) => claim.number > earlier || isOwn(claim) || used.has(claim.number));
}

/**
 * A server lives as long as the agent that it serves, so its life is a sign in itself, and once is enough. Other machines
 * cannot see it: for them it goes on renewing. A command ends at once.
 */
async function renewClaim(deps: HoldingKeeper, runId: string, { number }: Claim): Promise<void> {
  const { leases, caller, now } = deps;
  const isServer = caller.face === "mcp";
  const known = renewed.get(leases) ?? new Map<string, () => void>();
  const name = `${runId} ${number}`;
  if (isServer && known.has(name)) return;
  await leases.renew(runId, number, { at: now(), runner: isServer ? thisRunner() : null });
  if (!isServer) return;
  const isHeld = () => isStillHeld(deps, runId, number);
  known.set(name, leases.isShared() ? renewRegularly(deps, runId, number, isHeld) : () => {});
  renewed.set(leases, known);
}

/** Somebody on another machine may have ended the claim. Then nothing renews it any more, and its lease is removed again. */
async function isStillHeld(deps: HoldingKeeper, runId: string, number: number): Promise<boolean> {
  const run = (await deps.journal.load(runId))?.run;
  const held = run === undefined ? [] : claimsIn(run).map((claim) => claim.number);
  if (held.includes(number)) return true;
  stopRenewing(deps, runId, number);
  if (run?.claims !== undefined) await deps.leases.endAllBut(runId, new Set([processLease, ...held]), run.claims);
  return false;
}

function stopRenewing({ leases }: Keeper, runId: string, number: number): void {
  const name = `${runId} ${number}`;
  renewed.get(leases)?.get(name)?.();
  renewed.get(leases)?.delete(name);
}

function claimsIn(run: StartedRun): Claim[] {
  return isLive(run) ? run.visits.flatMap(({ claim }) => (claim == null ? [] : [claim])) : [];
}
