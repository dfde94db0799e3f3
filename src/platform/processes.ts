import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { createHead, createTail } from "./tail.ts";

export interface Execution {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly tailBytes: number;
  /** Keeps what it prints to standard output, up to this many bytes. */
  readonly printedBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
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
/** Node fires timers with a longer delay immediately. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Runs a program in its own process group. Whatever happens (timeout, cancel, our own death), none of its processes is
 * left over, except one that left the group and also cleared its environment.
 */
export async function execute(execution: Execution): Promise<Ended> {
  const { timeoutMs, tailBytes, printedBytes = 0, signal } = execution;
  if (signal?.aborted) return { type: "cancelled", tail: "", durationMs: 0 };
  const mark = `HOLDFAST_EXECUTION_${randomBytes(8).toString("hex")}`;
  const start = performance.now();
  const child = startGuarded(execution, mark);
  if (typeof child === "string") return { type: "not-started", problem: child };
  const tail = createTail(tailBytes);
  child.stdout?.on("data", tail.push);
  child.stderr?.on("data", tail.push);
  const printed = createHead(printedBytes);
  child.stdout?.on("data", printed.push);
  return new Promise((resolve) => {
    let reason: "timed-out" | "cancelled" | null = null;
    let grace: NodeJS.Timeout | undefined;
    const stop = (why: "timed-out" | "cancelled") => {
      reason ??= why;
      signalGroup(child, "SIGTERM");
      grace ??= setTimeout(() => signalGroup(child, "SIGKILL"), graceMs);
    };
    const timer = setTimeout(() => stop("timed-out"), Math.min(timeoutMs, longestTimerMs));
    const cancel = () => stop("cancelled");
    signal?.addEventListener("abort", cancel, { once: true });
    const finish = (ended: (durationMs: number) => Ended) => {
      clearTimeout(timer);
      clearTimeout(grace);
      signal?.removeEventListener("abort", cancel);
      signalGroup(child, "SIGKILL");
      killMarked(mark);
      const durationMs = Math.round(performance.now() - start);
      afterOutput(child, () => resolve(ended(durationMs)));
    };
    child.once("error", (error) => finish(() => ({ type: "not-started", problem: wordProblem(execution, error) })));
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

/** The child process, or why it could not be started. */
function startGuarded(execution: Execution, mark: string): ChildProcess | string {
  const { argv, cwd, env } = execution;
  try {
    return spawn("/bin/sh", ["-c", guardian(mark), "holdfast", ...argv], {
      cwd,
      // Whatever a workflow runs must not act as a person, even if it finds a terminal.
      env: { ...env, HOLDFAST_AGENT: "1" },
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
  } catch (error) {
    // Some errors (a folder that is a file, too many arguments, a zero byte) are thrown instead of emitted.
    if (error instanceof Error && "code" in error) return wordProblem(execution, error);
    throw error;
  }
}

function wordProblem({ cwd }: Execution, error: Error): string {
  return existsSync(cwd) ? error.message : `there is no folder ${cwd}`;
}

/** Pipes close when the whole group is gone; do not wait for one that another process keeps open. */
function afterOutput(child: ChildProcess, then: () => void): void {
  const close = () => {
    clearTimeout(timer);
    for (const stream of child.stdio) stream?.destroy();
    then();
  };
  const timer = setTimeout(close, 500);
  if (child.pid === undefined) close();
  else child.once("close", close);
}

/**
 * Descriptor 3 is a pipe that only we hold open. When we die, even after kill -9, the watcher reads its end and kills
 * everything: first the processes with the mark (which the watcher does not have), then its whole group. Every mark is
 * an environment variable of its own, so that nested executions carry all of them. The shell ignores TERM, so that the
 * program can exit by itself, and prints nothing.
 */
function guardian(mark: string): string {
  return `trap : TERM
{ trap "" TERM
  read -r _ <&3
  for _ in 1 2 3; do
    grep -lsF ${mark}=1 /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do kill -s KILL "$pid"; done
  done
  kill -s KILL 0
} >/dev/null 2>&1 &
exec 3<&- 9>&2 2>/dev/null
export ${mark}=1
(exec "$@" 2>&9 9>&-)
exit $?`;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM"))) throw error;
  }
}

/** A killed process may have started another one just before; a few rounds are enough for everything but an attack. */
const rounds = 10;

/** Processes that left the group still have our mark in their environment, where the system shows it (Linux). */
function killMarked(mark: string): void {
  if (process.platform !== "linux") return;
  for (let round = 0; round < rounds; round++) {
    const found = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && killIfMarked(name, mark));
    if (found.length === 0) return;
  }
}

function killIfMarked(pid: string, mark: string): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${mark}=1`)) return false;
    return process.kill(Number(pid), "SIGKILL");
  } catch (error) {
    // Processes may exit meanwhile, and most belong to other users.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

/** Like a shell: 128 plus the signal's number. */
function signalCode(signal: NodeJS.Signals | null): number {
  return signal === null ? 1 : 128 + constants.signals[signal];
}
