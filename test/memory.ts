import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const memory = "/dev/shm";
const wantedBytes = 4 * 2 ** 30;

/**
 * Temporary folders are in memory: tests flush thousands of files that nobody needs after a power cut. They stay on the disk
 * where whoever runs the tests says so with `TMPDIR`, or where memory is short or no program starts from there, as in many
 * containers.
 */
export function setup(): void {
  if (process.env.TMPDIR === undefined && fits()) process.env.TMPDIR = memory;
}

function fits(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= wantedBytes && startsPrograms();
  } catch {
    return false;
  }
}

function startsPrograms(): boolean {
  const folder = mkdtempSync(join(memory, "holdfast-try-"));
  try {
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    execFileSync(program);
    return true;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
