import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { expect, vi } from "vitest";

/** A mark in the environment of a runner. Everything that it starts has it too, so what is left over can be found. */
export interface ProcessMark {
  readonly env: Readonly<Record<string, string>>;
  /** The marked processes with such a command line. */
  find(commandLine?: RegExp): number[];
  /** Waits until no marked process is there. */
  gone(): Promise<void>;
}

export function createProcessMark(): ProcessMark {
  const value = randomBytes(8).toString("hex");
  const find = (commandLine = /^/) =>
    readdirSync("/proc")
      .filter((pid) => /^\d+$/.test(pid) && read(pid, "environ").includes(`HOLDFAST_TEST_MARK=${value}`))
      .filter((pid) => commandLine.test(commandLineOf(pid)))
      .map(Number);
  const left = () => find().map((pid) => commandLineOf(String(pid)));
  return {
    env: { HOLDFAST_TEST_MARK: value },
    find,
    gone: () => vi.waitFor(() => expect(left()).toEqual([]), { timeout: 20_000, interval: 20 }),
  };
}

function commandLineOf(pid: string): string {
  return read(pid, "cmdline").replaceAll("\0", " ").trim();
}

/** Empty for a process that is gone, or that belongs to somebody else. */
function read(pid: string, name: "environ" | "cmdline"): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}
