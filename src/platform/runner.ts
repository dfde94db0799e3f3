import { readFileSync } from "node:fs";
import { hasCode } from "./files.ts";

/** Empty until this process works on runs that machines share. A process is on one machine for as long as it lives. */
let machine = "";

/** From now on this process is known by its machine, too. */
export function nameMachine(name: string): void {
  machine = name;
}

/** The clones whose runs this process shares with other machines, by the folder that has their state. */
const clones = new Map<string, string>();

/** From now on what is done in this clone is known by its name. */
export function nameClone(stateRoot: string, name: string): void {
  clones.set(stateRoot, name);
}

/** Undefined where runs are not shared, and in hooks, which do not ask. */
export function cloneAt(stateRoot: string): string | undefined {
  return clones.get(stateRoot);
}

/** Identifies this process, also against a later one with the same pid, and against those of other machines. */
export function thisRunner(): string {
  const own = runnerOf(process.pid);
  return machine === "" ? own : `${own}@${machine}`;
}

/** Whether the process is on another machine, where nobody here can see it. */
export function isElsewhere(runner: string): boolean {
  const [, where] = runner.split("@");
  return where !== undefined && where !== machine;
}

/** A process by its pid and start time. */
export function runnerOf(pid: number): string {
  return `${pid}.${statOf(pid)?.started ?? "0"}`;
}

/** True for a process of another machine: only its lease tells, see `isRunnerGone`. */
export function isRunnerAlive(runner: string): boolean {
  if (isElsewhere(runner)) return true;
  const [pid = "", start] = runner.split("@", 1).join("").split(".");
  if (!/^\d{1,10}$/.test(pid) || !exists(Number(pid))) return false;
  const { state, started } = statOf(Number(pid)) ?? {};
  // A process that has died stays in the list until its parent has noticed.
  if (state === "Z" || state === "X") return false;
  return started === undefined || started === start;
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, "ESRCH")) return false;
    if (hasCode(error, "EPERM")) return true;
    throw error;
  }
}

interface ProcessStat {
  readonly state: string | undefined;
  /** When the process was started, in system ticks. */
  readonly started: string | undefined;
}

/** Null where the system does not show it. */
function statOf(pid: number): ProcessStat | null {
  try {
    // The name in parentheses may contain anything; the fields follow it.
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0], started: fields[19] };
  } catch (error) {
    if (hasCode(error, "ENOENT", "ESRCH", "EACCES")) return null;
    throw error;
  }
}
