import { setTimeout } from "node:timers/promises";
import { fingerprint } from "../engine/fingerprint.ts";
import type { AdvanceCommand } from "../model/command.ts";
import type { StartedRun } from "../model/run.ts";
import { isLive } from "../model/run-state.ts";

/** Advances whose gates are being checked in this process, one for each visit at a time. */
export type PendingAdvances = Map<string, PendingAdvance>;

export interface PendingAdvance {
  readonly run: string;
  readonly token: string;
  readonly fingerprint: string;
  readonly at: string;
  readonly since: number;
  readonly result: Promise<unknown>;
  /** Stops its gates. A stopped attempt has no result. */
  readonly stop: AbortController;
  settled: boolean;
  waiting: number;
  /** Whether a caller was waiting when the advance was recorded and so gets the reply. Null before that. */
  delivered: boolean | null;
}

export interface Attempt<T> {
  readonly run: string;
  readonly token: string;
  /** Of the payload: the same advance again waits for the same result. */
  readonly fingerprint: string;
  readonly at: string;
  /** `isAwaited` is asked just before the advance is recorded: does a caller still wait for the reply? */
  start(isAwaited: () => boolean, signal: AbortSignal): Promise<T>;
}

/** A caller that waits for gates until its timeout, or until it cancels. */
export interface Waiter {
  readonly patienceMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** `delivered` is false when the advance was recorded while nobody waited. */
export type GateWait<T> =
  | { readonly type: "done"; readonly result: T; readonly delivered: boolean }
  | { readonly type: "running"; readonly token: string; readonly seconds: number };

/**
 * Waits for an advance until the caller's timeout. After that the gates go on in the background, and the next call with
 * the same payload gets the result; a second call never starts the same gates again. Cancelling stops the gates unless
 * another caller still waits for them.
 */
export async function awaitGates<T>(
  pendingAdvances: PendingAdvances,
  waiter: Waiter,
  attempt: Attempt<T>,
): Promise<GateWait<T>> {
  await endOfStopped(pendingAdvances, attempt);
  const known = pendingAdvances.get(keyOf(attempt));
  const same = known?.fingerprint === attempt.fingerprint;
  if (known !== undefined && !same && !known.settled) return running(known);
  const pending = known !== undefined && same ? known : begin(pendingAdvances, attempt);
  pending.waiting += 1;
  const end = await endOfWaiting(pending, waiter);
  pending.waiting -= 1;
  if (end === "cancelled" && pending.waiting === 0) pending.stop.abort();
  // It is being recorded for this caller right now: the reply is theirs and comes soon.
  else if (end !== "settled" && pending.delivered !== true) return running(pending);
  try {
    // Attempts under one visit and fingerprint all have the same result type.
    return { type: "done", result: (await pending.result) as T, delivered: pending.delivered === true };
  } finally {
    forget(pendingAdvances, pending);
  }
}

/** The advance with the same payload whose result was not delivered yet; of the named run and visit, if any. */
export function findPending(
  pendingAdvances: PendingAdvances,
  run: string | undefined,
  sent: AdvanceCommand,
): PendingAdvance | undefined {
  if (pendingAdvances.size === 0) return undefined;
  const print = fingerprint(sent);
  return [...pendingAdvances.values()].find(
    (each) =>
      each.fingerprint === print &&
      !each.stop.signal.aborted &&
      (run ?? each.run) === each.run &&
      (sent.token ?? each.token) === each.token,
  );
}

/** A run whose gates ended with nobody waiting; the run itself may have ended with them. */
export function undeliveredRun(pendingAdvances: PendingAdvances): string | undefined {
  return [...pendingAdvances.values()].at(-1)?.run;
}

/** A status shows the outcome of the gates, so it need not be delivered again. */
export function markDelivered(pendingAdvances: PendingAdvances, run: string, hasEnded: boolean): void {
  for (const pending of pendingAdvances.values()) {
    if (pending.run === run && (pending.settled || hasEnded)) forget(pendingAdvances, pending);
  }
}

/**
 * Stops the gates of visits that ended in another way: by a person, by another process, by an advance that needs no
 * gates, or with the run itself, which is null if it was removed.
 */
export function stopStaleGates(pendingAdvances: PendingAdvances, runId: string, run: StartedRun | null): void {
  for (const pending of pendingAdvances.values()) {
    const isOpen = run !== null && isLive(run) && run.visits.some(({ token }) => token === pending.token);
    if (pending.run === runId && !isOpen && pending.delivered === null) pending.stop.abort();
  }
}

function forget(pendingAdvances: PendingAdvances, pending: PendingAdvance): void {
  if (pendingAdvances.get(keyOf(pending)) === pending) pendingAdvances.delete(keyOf(pending));
}

/** Stopped gates take a moment to end; wait for that before starting them again. */
async function endOfStopped(
  pendingAdvances: PendingAdvances,
  attempt: Pick<PendingAdvance, "run" | "token">,
): Promise<void> {
  const pending = pendingAdvances.get(keyOf(attempt));
  if (pending?.stop.signal.aborted) await settled(pending);
}

function begin<T>(pendingAdvances: PendingAdvances, { start, ...attempt }: Attempt<T>): PendingAdvance {
  const isAwaited = () => {
    pending.delivered = pending.waiting > 0;
    return pending.delivered;
  };
  const stop = new AbortController();
  const settle = () => {
    pending.settled = true;
    if (stop.signal.aborted) forget(pendingAdvances, pending);
  };
  const pending: PendingAdvance = {
    ...attempt,
    since: process.uptime(),
    // Started in the next turn, when the caller is registered as waiting.
    result: Promise.resolve().then(() => start(isAwaited, stop.signal)),
    stop,
    settled: false,
    waiting: 0,
    delivered: null,
  };
  // Keep a result nobody waits for, including a failure, for the next call.
  pending.result.then(settle, settle);
  pendingAdvances.set(keyOf(pending), pending);
  return pending;
}

function keyOf({ run, token }: Pick<PendingAdvance, "run" | "token">): string {
  return `${run} ${token}`;
}

function settled({ result }: PendingAdvance): Promise<"settled"> {
  return result.then(
    () => "settled",
    () => "settled",
  );
}

async function endOfWaiting(
  pending: PendingAdvance,
  { patienceMs, signal }: Waiter,
): Promise<"settled" | "impatient" | "cancelled"> {
  if (signal?.aborted) return "cancelled";
  const over = new AbortController();
  const { signal: waited } = over;
  const ends: Promise<"settled" | "impatient" | "cancelled">[] = [settled(pending)];
  if (patienceMs !== undefined) {
    ends.push(setTimeout(patienceMs, "impatient" as const, { signal: waited }).catch(() => "impatient"));
  }
  if (signal !== undefined) {
    ends.push(new Promise((end) => signal.addEventListener("abort", () => end("cancelled"), { signal: waited })));
  }
  try {
    return await Promise.race(ends);
  } finally {
    over.abort();
  }
}

function running({ token, since }: PendingAdvance): { type: "running"; token: string; seconds: number } {
  return { type: "running", token, seconds: Math.floor(process.uptime() - since) };
}
