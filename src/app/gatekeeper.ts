import { setTimeout } from "node:timers/promises";
import { no, type Outcome } from "./operation.ts";
import type { Reply } from "./reply.ts";

/** Advances whose gates are being checked in this process, one for each visit at a time. */
export type Gatekeeper = Map<string, Pending>;

interface Pending {
  readonly fingerprint: string;
  readonly since: number;
  readonly result: Promise<Outcome<Reply>>;
  done: boolean;
}

export interface Attempt {
  readonly key: string;
  readonly token: string;
  /** What is sent: the same advance again waits for the same result. */
  readonly fingerprint: string;
  /** How long the caller waits; undefined means to the end. */
  readonly patienceMs: number | undefined;
  start(): Promise<Outcome<Reply>>;
}

/**
 * Waits for an advance as long as its caller has patience. After that it goes on by itself, and the next call with the
 * same payload brings its result; a second call never starts the same gates again.
 */
export async function keepGates(pending: Gatekeeper, attempt: Attempt): Promise<Outcome<Reply>> {
  const { key, token, fingerprint, patienceMs } = attempt;
  const known = pending.get(key);
  if (known !== undefined && known.fingerprint !== fingerprint && !known.done) return running(token, known);
  const entry = known?.fingerprint === fingerprint ? known : begin(pending, attempt);
  const result = await withPatience(entry.result, patienceMs);
  if (result === "impatient") return running(token, entry);
  pending.delete(key);
  return result;
}

function begin(pending: Gatekeeper, { key, fingerprint, start }: Attempt): Pending {
  const entry: Pending = { fingerprint, since: performance.now(), result: start(), done: false };
  const settle = () => {
    entry.done = true;
  };
  // A result that nobody waits for is kept for the next call, a failure too.
  entry.result.then(settle, settle);
  pending.set(key, entry);
  return entry;
}

async function withPatience<T>(result: Promise<T>, patienceMs: number | undefined): Promise<T | "impatient"> {
  if (patienceMs === undefined) return result;
  const waited = new AbortController();
  const patience = setTimeout(patienceMs, "impatient" as const, { signal: waited.signal, ref: true });
  try {
    return await Promise.race([result, patience]);
  } finally {
    patience.catch(() => {});
    waited.abort();
  }
}

function running(token: string, { since }: Pending): Outcome<Reply> {
  return no({ code: "gate-running", token, seconds: Math.floor((performance.now() - since) / 1_000) });
}
