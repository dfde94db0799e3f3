import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Caller } from "../src/operation/operation.ts";
import { appendFiles } from "../src/platform/append-file.ts";
import { createFileStore } from "../src/store/file-store.ts";
import { createRunFiles } from "../src/store/run-files.ts";
import type { Store } from "../src/store/store.ts";
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

/** A project in a temporary folder, with these runs. Nothing is flushed while they are made. */
export async function makeProject(runs: readonly LongRun[]): Promise<{ folder: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  const root = join(folder, ".holdfast", "runs");
  mkdirSync(root, { recursive: true });
  const store = openUnflushed(root);
  const files = createRunFiles(root);
  for (const run of runs) {
    const { runId } = run;
    let version = 0;
    for (const events of eventsOfRun(run)) version = (await store.append(runId, version, events)).version;
    files.write(
      runId,
      templateFile(templateHash),
      JSON.stringify({ format: 1, source: "none", from: "long", template }),
      "quick",
    );
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A store of runs that flushes nothing. */
export function openUnflushed(root: string): Store {
  return createFileStore(root, {
    ...appendFiles,
    open(path, how) {
      const file = appendFiles.open(path, how);
      return file === null ? null : { ...file, flush() {} };
    },
  });
}
