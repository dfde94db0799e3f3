import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** What to start, and where. */
export interface GuardedStart {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A program in its own process group, none of whose processes outlives us. */
export interface GuardedProcess {
  readonly child: ChildProcess;
  /** Sends a signal to the whole group. */
  signal(signal: NodeJS.Signals): void;
  /** Kills the group, and what has left it. */
  killAll(): void;
  /** Waits until everything that it has printed is read, unless another process keeps the pipes open. */
  afterOutput(then: () => void): void;
  /** Why it could not be started. */
  wordProblem(error: Error): string;
}

/**
 * Starts a program in its own process group. Whatever happens, even our own death by kill -9, none of its processes is left
 * over, except one that left the group and also cleared its environment. Returns a text if it cannot be started.
 */
export function startGuarded(start: GuardedStart, input: "ignore" | "pipe" = "ignore"): GuardedProcess | string {
  const mark = `HOLDFAST_EXECUTION_${randomBytes(8).toString("hex")}`;
  const child = spawnGuarded(start, mark, input);
  if (typeof child === "string") return child;
  return {
    child,
    signal: (signal) => signalGroup(child, signal),
    killAll() {
      signalGroup(child, "SIGKILL");
      killMarked(mark);
    },
    afterOutput: (then) => afterOutput(child, then),
    wordProblem: (error) => wordProblem(start, error),
  };
}

/** The child process, or why it could not be started. */
function spawnGuarded(start: GuardedStart, mark: string, input: "ignore" | "pipe"): ChildProcess | string {
  const { argv, cwd, env } = start;
  try {
    return spawn("/bin/sh", ["-c", guardian(mark), "holdfast", ...argv], {
      cwd,
      // Whatever a workflow runs must not act as a person, even if it finds a terminal.
      env: { ...env, HOLDFAST_AGENT: "1" },
      detached: true,
      stdio: [input, "pipe", "pipe", "pipe"],
    });
  } catch (error) {
    // Some errors (a folder that is a file, too many arguments, a zero byte) are thrown instead of emitted.
    if (error instanceof Error && "code" in error) return wordProblem(start, error);
    throw error;
  }
}

function wordProblem({ cwd }: GuardedStart, error: Error): string {
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
