import { randomUUID } from "node:crypto";
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { HoldfastError } from "../errors.ts";
import { checkedRunId } from "../model/run-id.ts";
import {
  beginsWith,
  type Durability,
  hasCode,
  namesInFolder,
  readTextIfExists,
  replaceFile,
  unwritable,
} from "../platform/files.ts";
import { trackedBelow } from "../platform/git-folder.ts";
import { sizeLimits } from "../platform/size-limits.ts";
import { reading, refuseUnlessPlain } from "./journal-file.ts";

/** The files next to a run's journal: its frozen template, and what can be rebuilt from the journal. */
export interface RunFiles extends RunTexts {
  /** The names in a folder of the run's folder, without those that git tracks: they came with the repository. */
  names(run: string, folder: string): readonly string[];
  /** Removes the run's folder with its journal and all other files. */
  removeRun(run: string): Promise<void>;
}

export function createRunFiles(root: string): RunFiles {
  return {
    ...createRunTexts(root),
    names(run, folder) {
      const path = join(root, checkedRunId(run), folder);
      // In the place of the folder there may be anything.
      const names = namesInFolder(path, "ENOTDIR", "EACCES", "ELOOP");
      const isTracked = names.length === 0 ? null : trackedBelow(root);
      return names.filter((name) => isTracked?.(`${run}/${folder}/${name}`) !== true);
    },
    async removeRun(run) {
      const folder = join(root, checkedRunId(run));
      const aside = join(root, `.aside-${randomUUID()}`);
      try {
        // In one step: a server that renews the snapshot meanwhile would put a file into a folder that was just emptied.
        renameSync(folder, aside);
      } catch (cause) {
        if (hasCode(cause, "ENOENT")) return;
        throw unwritable(folder, cause);
      }
      await rm(aside, { recursive: true, force: true });
    },
  };
}

/** Small text files next to a run's journal. */
export interface RunTexts {
  read(run: string, name: string): Promise<string | null>;
  write(run: string, name: string, text: string, durability: Durability): void;
  /** Removes a file, or one that begins so. At the same moment the stamp of the folder of runs changes. */
  remove(run: string, name: string, beginning?: string): void;
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
      return readTextIfExists(path, sizeLimits.runFile);
    },
    write(run, name, text, durability) {
      // What can be rebuilt must not bring back the folder of a run that was removed.
      if (durability === "quick" && !existsSync(join(root, checkedRunId(run)))) return;
      replaceFile(pathOf(run, name), text, durability);
    },
    remove(run, name, beginning = "") {
      const path = pathOf(run, name);
      if (!beginsWith(path, beginning)) return;
      const aside = join(root, `.aside-${randomUUID()}`);
      try {
        renameSync(path, aside);
        rmSync(aside);
      } catch (cause) {
        // Another process was faster.
        if (!hasCode(cause, "ENOENT")) throw unwritable(path, cause);
      }
    },
  };
}
