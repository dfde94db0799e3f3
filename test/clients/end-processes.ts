import { readdirSync, readFileSync } from "node:fs";

/** Whoever is ended may have started another just before. */
const rounds = 10;

/**
 * Ends every process that lives in this home. Programs start their commands in sessions of their own, so a process
 * group does not hold them all; but the home, which only one test has, is handed down to each.
 */
export function endProcesses(home: string): void {
  for (let round = 0; round < rounds; round++) {
    const found = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && endIfIn(home, name));
    if (found.length === 0) return;
  }
}

function endIfIn(home: string, pid: string): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`HOME=${home}`)) return false;
    return process.kill(Number(pid), "SIGKILL");
  } catch (error) {
    if (error instanceof Error && "code" in error && passing.has(error.code)) return false;
    throw error;
  }
}

/** Processes come and go, and most belong to others. */
const passing = new Set<unknown>(["ENOENT", "ESRCH", "EACCES", "EPERM"]);
