import { setTimeout } from "node:timers/promises";
import { fingerprint } from "../engine/fingerprint.ts";
import type { AdvanceCommand } from "../model/command.ts";

/** Advances whose gates are being checked in this process, one for each visit at a time. */
export type Gatekeeper = Map<string, Pending>;

export interface Pending {
  readonly run: string;
  readonly token: string;
  readonly fingerprint: string;
  readonly since: number;
  readonly result: Promise<unknown>;
  settled: boolean;
  waiting: number;
  /** Whether someone waited when the advance was recorded: only then is the reply theirs. */
  heard: boolean;
}

export interface Attempt<T> {
  readonly run: string;
  readonly token: string;
  /** What is sent: the same advance again waits for the same result. */
  readonly fingerprint: string;
  /** Asks, just before the advance is recorded, whether its caller still waits for the reply. */
  start(isHeard: () => boolean): Promise<T>;
}

/** `heard` is false where the advance was recorded while nobody waited. */
export type Kept<T> =
  | { readonly type: "done"; readonly result: T; readonly heard: boolean }
  | { readonly type: "running"; readonly token: string; readonly seconds: number };

/**
 * Waits for an advance as long as its caller has patience. After that it goes on by itself, and the next call with the
 * same payload brings its result; a second call never starts the same gates again.
 */
export async function keepGates<T>(
  gatekeeper: Gatekeeper,
  patienceMs: number | undefined,
  attempt: Attempt<T>,
): Promise<Kept<T>> {
  const known = gatekeeper.get(keyOf(attempt));
  const same = known?.fingerprint === attempt.fingerprint;
  if (known !== undefined && !same && !known.settled) return running(known);
  const pending = known !== undefined && same ? known : begin(gatekeeper, attempt);
  pending.waiting += 1;
  try {
    // Once it is being recorded for us the reply is ours, and not far.
    if (!(await isSettled(pending, patienceMs)) && !pending.heard) return running(pending);
    // Under one visit and fingerprint only attempts of one kind are ever kept.
    const result = (await pending.result) as T;
    return { type: "done", result, heard: pending.heard };
  } finally {
    pending.waiting -= 1;
    if (pending.settled) forget(gatekeeper, pending);
  }
}

/** The advance with this very payload whose result has not been told yet; of its run and visit, if they are named. */
export function findPending(
  gatekeeper: Gatekeeper,
  run: string | undefined,
  sent: AdvanceCommand,
): Pending | undefined {
  if (gatekeeper.size === 0) return undefined;
  const print = fingerprint(sent);
  return [...gatekeeper.values()].find(
    (each) => each.fingerprint === print && (run ?? each.run) === each.run && (sent.token ?? each.token) === each.token,
  );
}

/** A run whose gates have been checked here with nobody told; it may have ended with that. */
export function untoldRun(gatekeeper: Gatekeeper): string | undefined {
  return [...gatekeeper.values()].at(-1)?.run;
}

/** Whoever reads the status sees what came of the gates; it needs not be told again. */
export function markTold(gatekeeper: Gatekeeper, run: string, hasEnded: boolean): void {
  for (const pending of gatekeeper.values()) {
    if (pending.run === run && (pending.settled || hasEnded)) forget(gatekeeper, pending);
  }
}

function forget(gatekeeper: Gatekeeper, pending: Pending): void {
  if (gatekeeper.get(keyOf(pending)) === pending) gatekeeper.delete(keyOf(pending));
}

function begin<T>(gatekeeper: Gatekeeper, { start, ...attempt }: Attempt<T>): Pending {
  const isHeard = () => {
    pending.heard = pending.waiting > 0;
    return pending.heard;
  };
  const settle = () => {
    pending.settled = true;
  };
  const pending: Pending = {
    ...attempt,
    since: performance.now(),
    // Begun in the next turn, when whoever asked for it waits for it.
    result: Promise.resolve().then(() => start(isHeard)),
    settled: false,
    waiting: 0,
    heard: false,
  };
  // A result that nobody waits for is kept for the next call, a failure too.
  pending.result.then(settle, settle);
  gatekeeper.set(keyOf(pending), pending);
  return pending;
}

function keyOf({ run, token }: Pick<Pending, "run" | "token">): string {
  return `${run} ${token}`;
}

async function isSettled({ result }: Pending, patienceMs: number | undefined): Promise<boolean> {
  const settled = result.then(
    () => true,
    () => true,
  );
  if (patienceMs === undefined) return settled;
  const waited = new AbortController();
  const patience = setTimeout(patienceMs, false, { signal: waited.signal }).catch(() => false);
  try {
    return await Promise.race([settled, patience]);
  } finally {
    waited.abort();
  }
}

function running({ token, since }: Pending): { type: "running"; token: string; seconds: number } {
  return { type: "running", token, seconds: Math.floor((performance.now() - since) / 1_000) };
}
