import { rm } from "node:fs/promises";
import { join } from "node:path";
import { checkedRunId } from "../model/run-id.ts";
import { createRunTexts, type RunTexts } from "./run-texts.ts";

/** The files next to a run's journal: its frozen template, and what can be rebuilt from the journal. */
export interface RunFiles extends RunTexts {
  remove(run: string, name: string): Promise<void>;
  /** Removes the run's folder with its journal and all other files. */
  removeRun(run: string): Promise<void>;
}

export function createRunFiles(root: string): RunFiles {
  const folder = (run: string) => join(root, checkedRunId(run));
  return {
    ...createRunTexts(root),
    remove: (run, name) => rm(join(folder(run), name), { force: true }),
    removeRun: (run) => rm(folder(run), { recursive: true, force: true }),
  };
}
