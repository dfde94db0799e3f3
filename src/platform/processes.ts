import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
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

/**
 * Runs a program to its end, in a process group of its own. Whatever happens (time out, cancel, our own death),
 * nothing that it started is left over.
 */
export function execute(execution: Execution): Promise<Ended> {
  const { cwd, timeoutMs, tailBytes, signal } = execution;
  const mark = randomUUID();
  const start = performance.now();
  const child = spawn("/bin/sh", ["-c", guardian, "holdfast", ...execution.argv], {
    cwd,
    env: { ...execution.env, [markName]: mark },
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const tail = createTail(tailBytes);
  child.stdout?.on("data", tail.push);
  child.stderr?.on("data", tail.push);
  return new Promise((resolve) => {
    let reason: "timed-out" | "cancelled" | null = null;
    const stop = (why: "timed-out" | "cancelled") => {
      reason ??= why;
      signalGroup(child, "SIGTERM");
      setTimeout(() => signalGroup(child, "SIGKILL"), graceMs).unref();
    };
    const timer = setTimeout(() => stop("timed-out"), timeoutMs);
    const cancel = () => stop("cancelled");
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted) cancel();
    const finish = (ended: (durationMs: number) => Ended) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      signalGroup(child, "SIGKILL");
      killMarked(mark);
      const durationMs = Math.round(performance.now() - start);
      afterOutput(child, () => resolve(ended(durationMs)));
    };
    child.once("error", (error) => finish(() => ({ type: "not-started", problem: error.message })));
    child.once("exit", (code, by) =>
      finish((durationMs) =>
        reason === null
          ? { type: "exited", exitCode: code ?? signalCode(by), tail: tail.text(), durationMs }
          : { type: reason, tail: tail.text(), durationMs },
      ),
    );
  });
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

const markName = "HOLDFAST_EXECUTION";

/**
 * Descriptor 3 is a pipe that only we hold open. When we die, the watcher reads its end and takes the whole group
 * with it, even after kill -9. The shell itself outlives a TERM, so that the program can end in its own way.
 */
const guardian = 'trap : TERM; { trap "" TERM; read -r _ <&3; kill -s KILL 0; } >/dev/null 2>&1 & exec 3<&-; "$@"';

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && (error.code === "ESRCH" || error.code === "EPERM"))) throw error;
  }
}

/** A child that left the group still carries our mark in its environment, where the system shows it. */
function killMarked(mark: string): void {
  if (process.platform !== "linux") return;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, "latin1").includes(`${markName}=${mark}`))
        process.kill(Number(pid), "SIGKILL");
    } catch (error) {
      // Processes come and go, and most belong to others.
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  }
}

function signalCode(signal: NodeJS.Signals | null): number {
  return signal === null ? 1 : 128;
}
