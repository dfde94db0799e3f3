import { rm } from "node:fs/promises";
import { join } from "node:path";
import { checkedRunId } from "../model/run-id.ts";
import { createRunTexts, type RunTexts } from "./run-texts.ts";

/** What stands beside a run's journal: its frozen template, and what can be made again from the journal. */
export interface RunFiles extends RunTexts {
  remove(run: string, name: string): Promise<void>;
  /** The run with its journal and everything beside it. */
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
