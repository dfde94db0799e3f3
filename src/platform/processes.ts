import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { createTail } from "./tail.ts";

export interface Execution {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly tailBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export type Ended =
  | { readonly type: "exited"; readonly exitCode: number; readonly tail: string; readonly durationMs: number }
  | { readonly type: "timed-out" | "cancelled"; readonly tail: string; readonly durationMs: number }
  | { readonly type: "not-started"; readonly problem: string };

const graceMs = 2_000;
/** A timer that is set for longer than this fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Runs a program to its end, in a process group of its own. Whatever happens (time out, cancel, our own death),
 * nothing that it started is left over, unless it left the group and emptied its environment too.
 */
export async function execute(execution: Execution): Promise<Ended> {
  const { timeoutMs, tailBytes, signal } = execution;
  if (signal?.aborted) return { type: "cancelled", tail: "", durationMs: 0 };
  const mark = `HOLDFAST_EXECUTION_${randomBytes(8).toString("hex")}`;
  const start = performance.now();
  const child = startGuarded(execution, mark);
  if (typeof child === "string") return { type: "not-started", problem: child };
  const tail = createTail(tailBytes);
  child.stdout?.on("data", tail.push);
  child.stderr?.on("data", tail.push);
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
          ? { type: "exited", exitCode: code ?? signalCode(by), tail: tail.text(), durationMs }
          : { type: reason, tail: tail.text(), durationMs },
      ),
    );
  });
}

/** The child, or why there is none. */
function startGuarded(execution: Execution, mark: string): ChildProcess | string {
  const { argv, cwd, env } = execution;
  try {
    return spawn("/bin/sh", ["-c", guardian(mark), "holdfast", ...argv], {
      cwd,
      env: { ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
  } catch (error) {
    // Some of what the system or Node refuses (a folder that is a file, too many arguments, a zero byte) is thrown.
    if (error instanceof Error && "code" in error) return wordProblem(execution, error);
    throw error;
  }
}

function wordProblem({ cwd }: Execution, error: Error): string {
  return existsSync(cwd) ? error.message : `there is no folder ${cwd}`;
}

/** With the whole group gone its pipes end by themselves; one that someone else keeps open is not waited for. */
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
 * Descriptor 3 is a pipe that only we hold open. When we die, the watcher reads its end and takes everything with it,
 * even after kill -9: first what carries the mark (the watcher does not), then its whole group. Every mark is a
 * variable of its own, so that a program inside a nested execution carries them all. The shell outlives a TERM,
 * so that the program can end in its own way, and adds nothing to what it printed.
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

/** Whoever is killed may have started another just before; a few rounds are enough for all but an attack. */
const rounds = 10;

/** A child that left the group still carries our mark in its environment, where the system shows it. */
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
    // Processes come and go, and most belong to others.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

/** As a shell counts it: 128 and the signal's number. */
function signalCode(signal: NodeJS.Signals | null): number {
  return signal === null ? 1 : 128 + constants.signals[signal];
}
