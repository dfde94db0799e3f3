import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { RunEvent } from "../src/model/event.ts";
import type { Caller } from "../src/operation/operation.ts";
import { journalPath } from "../src/store/journal-file.ts";
import { writeLine } from "../src/store/journal-line.ts";
import { createRunFiles } from "../src/store/run-files.ts";
import { templateFile } from "../src/templates/hash.ts";
import { eventsOfRun, type LongRun, template, templateHash } from "./long-run.ts";

export const caller: Caller = {
  env: {},
  session: undefined,
  face: "mcp",
  isTerminal: false,
  surroundings: () => ({ terminal: null, ancestors: [] }),
  as: undefined,
  confirm: undefined,
  progress: undefined,
  signal: undefined,
};

/** A project in a temporary folder, with these runs. */
export async function makeProject(runs: readonly LongRun[]): Promise<{ folder: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  const root = join(folder, ".holdfast", "runs");
  mkdirSync(root, { recursive: true });
  for (const run of runs) writeRun(root, run.runId, eventsOfRun(run));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Writes the journal of a run and its frozen template. The bytes are those that the store writes; but it opens, reads back
 * and flushes with every commit, which would take minutes for a hundred thousand.
 */
export function writeRun(root: string, runId: string, commits: Iterable<readonly RunEvent[]>): void {
  const lines: Buffer[] = [];
  let prev = "";
  for (const events of commits) {
    const { bytes, hash } = writeLine({ version: lines.length + 1, prev, writer: "bench", events });
    lines.push(bytes);
    prev = hash;
  }
  const path = journalPath(root, runId);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, Buffer.concat(lines));
  const frozen = JSON.stringify({ format: 1, source: "none", from: "long", template });
  createRunFiles(root).write(runId, templateFile(templateHash), frozen, "quick");
}
