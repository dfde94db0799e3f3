import { isHoldfastError } from "../../errors.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Claim, LiveRun, StartedRun, Visit } from "../../model/run.ts";
import { claimIn, isLive, processOf } from "../../model/run-state.ts";
import type { Deps } from "../../operation/operation.ts";
import { isRunnerAlive, thisRunner } from "../../platform/runner.ts";
import { isAliveHere } from "../../sessions/session-log.ts";
import type { Leases } from "../../store/leases.ts";

/** How long a claim holds after the last sign of life of its holder. */
const leaseMs = 15 * 60_000;

/** For tests and impatient teams: another length of a lease, in seconds. */
const variable = "HOLDFAST_LEASE_SECONDS";

type Keeper = Pick<Deps, "leases" | "sessions" | "caller" | "now">;

/** The claims of a run whose holders have given no sign of life for too long. Whoever claims now may take them over. */
export function expiredClaims(deps: Keeper, run: LiveRun): number[] {
  return run.visits.flatMap((visit) =>
    visit.claim == null || isHeld(deps, run, visit, visit.claim) ? [] : [visit.claim.number],
  );
}

function isHeld(deps: Keeper, { runId }: LiveRun, visit: Visit, { number, session, since }: Claim): boolean {
  const { at = since, runner = null } = deps.leases.read(runId, number) ?? {};
  const age = (time: string) => Math.abs(Date.parse(deps.now()) - Date.parse(time));
  if (Math.min(age(since), age(at)) <= lengthOf(deps)) return true;
  const process = processOf(visit)?.runner ?? null;
  if ([runner, process].some((each) => each !== null && isRunnerAlive(each))) return true;
  return session !== null && isAliveHere({ sessions: deps.sessions, isAlive: isRunnerAlive }, session) === true;
}

function lengthOf({ caller: { env } }: Keeper): number {
  const seconds = Number(env[variable]);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : leaseMs;
}

/** What this process has renewed, by run and claim. Its life is a sign in itself, so once is enough. */
const renewed = new WeakMap<Leases, Set<string>>();

/** Keeps the leases in step with the claims after a change: new ones, ended ones, and those of the caller. */
export function keepLeases(deps: Keeper, before: StartedRun, after: StartedRun, events: readonly RunEvent[]): void {
  const held = new Set(claimsIn(after).map(({ number }) => number));
  const hasEnded = claimsIn(before).some(({ number }) => !held.has(number));
  whereWritable(() => {
    for (const claim of ownClaims(deps, before, after, events)) renewOnce(deps, after.runId, claim);
    if (hasEnded) deps.leases.endAllBut(after.runId, held, after.claims ?? 0);
  });
}

/** What a process that was killed in the last moment of a run has left, or the claims that a receipt has voided. */
export function endLeases({ leases }: Keeper, { runId, claims }: StartedRun): void {
  if (claims !== undefined) whereWritable(() => leases.endAllBut(runId, new Set(), claims));
}

/** Without its lease a claim holds for as long as without a sign of life, and one too many does no harm. */
function whereWritable(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!isHoldfastError(error, "file-unwritable")) throw error;
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

function renewOnce({ leases, caller, now }: Keeper, runId: string, { number }: Claim): void {
  const name = `${runId} ${number}`;
  // A server lives as long as the agent that it serves; a command ends at once.
  const runner = caller.face === "mcp" ? thisRunner() : null;
  const known = renewed.get(leases) ?? new Set<string>();
  if (runner !== null && known.has(name)) return;
  leases.renew(runId, number, { at: now(), runner });
  if (runner !== null) renewed.set(leases, known.add(name));
}

function claimsIn(run: StartedRun): Claim[] {
  return isLive(run) ? run.visits.flatMap(({ claim }) => (claim == null ? [] : [claim])) : [];
}
