import { readFileSync } from "node:fs";
import { hasCode } from "./files.ts";

/** Identifies this process, also against a later one with the same pid. */
export function thisRunner(): string {
  return runnerOf(process.pid);
}

/** A process by its pid and start time. */
export function runnerOf(pid: number): string {
  return `${pid}.${statOf(pid)?.started ?? "0"}`;
}

export function isRunnerAlive(runner: string): boolean {
  const [pid = "", start] = runner.split(".");
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
