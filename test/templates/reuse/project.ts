import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { baseFinder } from "../../../src/templates/reuse/base-file.ts";
import { loadWorkflow, type WorkflowReading } from "../../../src/templates/reuse/load-workflow.ts";

const builtInFolder = fileURLToPath(new URL("../../../workflows/", import.meta.url));

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A project on disk with these files. */
export function projectWith(files: Files): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-reuse-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** Loads a text as `.holdfast/workflows/ship.yaml` of a project with these other files. */
export function loadInProject(text: string | Uint8Array, files: Files = {}): WorkflowReading {
  return loadIn(projectWith(files), ".holdfast/workflows/ship.yaml", text);
}

/** Writes a text as a file of the project, and loads it. */
export function loadIn(root: string, path: string, text: string | Uint8Array): WorkflowReading {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const findBase = baseFinder({ projectRoot: root, stateRoot: root, builtInFolder });
  return loadWorkflow({ file, content: Buffer.from(text) }, findBase);
}
