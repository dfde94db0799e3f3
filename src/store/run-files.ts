import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { HoldfastError } from "../errors.ts";
import { checkedRunId } from "../model/run-id.ts";
import { type Durability, readTextIfExists, replaceFile } from "../platform/files.ts";
import { reading, refuseUnlessPlain } from "./journal-file.ts";

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

/** Small text files next to a run's journal. */
export interface RunTexts {
  read(run: string, name: string): Promise<string | null>;
  write(run: string, name: string, text: string, durability: Durability): void;
}

/** Larger files are not ours; reading them would only fill the memory. */
const longestFile = 64 * 1024 * 1024;

export function createRunTexts(root: string): RunTexts {
  const pathOf = (run: string, name: string) => join(root, checkedRunId(run), name);
  return {
    async read(run, name) {
      const path = pathOf(run, name);
      reading(path, () => refuseUnlessPlain(path, "file-unreadable"));
      const there = statSync(path, { throwIfNoEntry: false });
      if (there === undefined) return null;
      if (there.size > longestFile)
        throw new HoldfastError("file-unreadable", { file: path, problem: "it is too long" });
      return readTextIfExists(path);
    },
    write: (run, name, text, durability) => replaceFile(pathOf(run, name), text, durability),
  };
}
