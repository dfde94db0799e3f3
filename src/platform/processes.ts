import { constants } from "node:os";
import { type GuardedStart, startGuarded } from "./guarded-process.ts";
import { createHead, createTail } from "./tail.ts";
import { timerDelay } from "./timers.ts";

export interface Execution extends GuardedStart {
  readonly timeoutMs: number;
  readonly tailBytes: number;
  /** Keeps what it prints to standard output, up to this many bytes. */
  readonly printedBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Is given everything that it prints, on both streams. */
  onOutput?(this: void, chunk: Uint8Array): void;
}

export type Ended =
  | {
      readonly type: "exited";
      readonly exitCode: number;
      readonly tail: string;
      /** Null if it is longer than what was to be kept. */
      readonly printed: Buffer | null;
      readonly durationMs: number;
    }
  | { readonly type: "timed-out" | "cancelled"; readonly tail: string; readonly durationMs: number }
  | { readonly type: "not-started"; readonly problem: string };

const graceMs = 2_000;

/**
 * Runs a program in its own process group. Whatever happens (timeout, cancel, our own death), none of its processes is
 * left over, except one that left the group and also cleared its environment.
 */
export async function execute(execution: Execution): Promise<Ended> {
  const { timeoutMs, tailBytes, printedBytes = 0, signal } = execution;
  if (signal?.aborted) return { type: "cancelled", tail: "", durationMs: 0 };
  const start = performance.now();
  const guarded = startGuarded(execution);
  if (typeof guarded === "string") return { type: "not-started", problem: guarded };
  const { child } = guarded;
  const tail = createTail(tailBytes);
  child.stdout?.on("data", tail.push);
  child.stderr?.on("data", tail.push);
  if (execution.onOutput !== undefined) {
    child.stdout?.on("data", execution.onOutput);
    child.stderr?.on("data", execution.onOutput);
  }
  const printed = createHead(printedBytes);
  child.stdout?.on("data", printed.push);
  return new Promise((resolve) => {
    let reason: "timed-out" | "cancelled" | null = null;
    let grace: NodeJS.Timeout | undefined;
    const stop = (why: "timed-out" | "cancelled") => {
      reason ??= why;
      guarded.signal("SIGTERM");
      grace ??= setTimeout(() => guarded.signal("SIGKILL"), graceMs);
    };
    const timer = setTimeout(() => stop("timed-out"), timerDelay(timeoutMs));
    const cancel = () => stop("cancelled");
    signal?.addEventListener("abort", cancel, { once: true });
    const finish = (ended: (durationMs: number) => Ended) => {
      clearTimeout(timer);
      clearTimeout(grace);
      signal?.removeEventListener("abort", cancel);
      guarded.killAll();
      const durationMs = Math.round(performance.now() - start);
      guarded.afterOutput(() => resolve(ended(durationMs)));
    };
    child.once("error", (error) => finish(() => ({ type: "not-started", problem: guarded.wordProblem(error) })));
    child.once("exit", (code, by) =>
      finish((durationMs) =>
        reason === null
          ? {
              type: "exited",
              exitCode: code ?? signalCode(by),
              tail: tail.text(),
              printed: printed.whole(),
              durationMs,
            }
          : { type: reason, tail: tail.text(), durationMs },
      ),
    );
  });
}

/** Like a shell: 128 plus the signal's number. */
function signalCode(signal: NodeJS.Signals | null): number {
  return signal === null ? 1 : 128 + constants.signals[signal];
}
