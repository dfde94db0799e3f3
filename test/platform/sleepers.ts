import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { expect, vi } from "vitest";
import { type Execution, execute } from "../../src/platform/processes.ts";

export const shell = (script: string): readonly string[] => ["/bin/sh", "-c", script];

export function run(argv: readonly string[], more: Partial<Execution> = {}) {
  return execute({ argv, cwd: "/", env: process.env, timeoutMs: 60_000, tailBytes: 4_000, ...more });
}

/** A length of sleep that nobody else on this machine sleeps, so that whoever is left over can be told. */
export function markedSleep(): string {
  return `sleep 1000.${randomInt(1e9, 9e9)}`;
}

/** Everyone who has this sleep in their command line: the sleepers and the shells that started them. */
function involved(sleep: string): string[] {
  return readdirSync("/proc").filter((pid) => Number(pid) !== process.pid && commandLine(pid).includes(sleep));
}

function commandLine(pid: string): string {
  if (!/^\d+$/.test(pid)) return "";
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

const patience = { timeout: 20_000, interval: 20 };
export const noneLeft = (sleep: string) => vi.waitFor(() => expect(involved(sleep)).toEqual([]), patience);

export function asleep(sleep: string, count: number): Promise<void> {
  const sleepers = () => involved(sleep).filter((pid) => commandLine(pid) === sleep);
  return vi.waitFor(() => expect(sleepers()).toHaveLength(count), patience);
}

/** Long enough for a shell to have begun, on a busy machine too. */
export const soon = 1_000;
