import { rm } from "node:fs/promises";
import { join } from "node:path";
import { RunId } from "../model/ids.ts";
import { type Durability, readTextIfThere, replaceFile } from "../platform/files.ts";

/** What stands beside a run's journal: its frozen template, and what can be made again from the journal. */
export interface RunFiles {
  read(run: string, name: string): Promise<string | null>;
  write(run: string, name: string, text: string, durability: Durability): void;
  remove(run: string, name: string): Promise<void>;
  /** The run with its journal and everything beside it. */
  removeRun(run: string): Promise<void>;
}

export function createRunFiles(root: string): RunFiles {
  const folder = (run: string) => join(root, RunId.parse(run));
  return {
    read: (run, name) => readTextIfThere(join(folder(run), name)),
    write: (run, name, text, durability) => replaceFile(join(folder(run), name), text, durability),
    remove: (run, name) => rm(join(folder(run), name), { force: true }),
    removeRun: (run) => rm(folder(run), { recursive: true, force: true }),
  };
}
