import { readFileSync } from "node:fs";
import { hasCode } from "./files.ts";

/** Identifies this process, also against a later one with the same pid. */
export function thisRunner(): string {
  return runnerOf(process.pid);
}

/** A process by its pid and start time. */
export function runnerOf(pid: number): string {
  return `${pid}.${startOf(pid) ?? "0"}`;
}

export function isRunnerAlive(runner: string): boolean {
  const [pid = "", start] = runner.split(".");
  if (!/^\d{1,10}$/.test(pid) || !exists(Number(pid))) return false;
  const started = startOf(Number(pid));
  return started === null || started === start;
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

/** When a process was started, in system ticks; null where the system does not show it. */
function startOf(pid: number): string | null {
  try {
    // The name in parentheses may contain anything; the fields follow it.
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ESRCH", "EACCES")) return null;
    throw error;
  }
}
