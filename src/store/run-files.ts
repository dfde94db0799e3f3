import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { HoldfastError } from "../errors.ts";
import { checkedRunId } from "../model/run-id.ts";
import { type Durability, readTextIfThere, replaceFile } from "../platform/files.ts";
import { reading, refuseUnlessPlain } from "./journal-file.ts";

/** What stands beside a run's journal: its frozen template, and what can be made again from the journal. */
export interface RunFiles {
  read(run: string, name: string): Promise<string | null>;
  write(run: string, name: string, text: string, durability: Durability): void;
  remove(run: string, name: string): Promise<void>;
  /** The run with its journal and everything beside it. */
  removeRun(run: string): Promise<void>;
}

/** We never write anything as long; reading it would only fill the memory. */
const longestFile = 64 * 1024 * 1024;

export function createRunFiles(root: string): RunFiles {
  const folder = (run: string) => join(root, checkedRunId(run));
  return {
    async read(run, name) {
      const path = join(folder(run), name);
      reading(path, () => refuseUnlessPlain(path, "file-unreadable"));
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > longestFile) {
        throw new HoldfastError("file-unreadable", { file: path, problem: "it is too long" });
      }
      return readTextIfThere(path);
    },
    write: (run, name, text, durability) => replaceFile(join(folder(run), name), text, durability),
    remove: (run, name) => rm(join(folder(run), name), { force: true }),
    removeRun: (run) => rm(folder(run), { recursive: true, force: true }),
  };
}
