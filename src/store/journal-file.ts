import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { HoldfastError } from "../errors.ts";
import { checkedRunId } from "../model/run-id.ts";
import type { AppendFile, AppendFiles } from "../platform/append-file.ts";
import { beginsWith, hasCode, unreadable, unwritable } from "../platform/files.ts";
import { type IsTracked, trackedBelow } from "../platform/git-folder.ts";

export function journalPath(root: string, run: string): string {
  return join(root, checkedRunId(run), "journal.jsonl");
}

export function openToRead(files: AppendFiles, path: string): AppendFile | null {
  const file = reading(path, () => {
    refuseUnlessPlain(path, "file-unreadable");
    refuseTracked(path);
    return files.openForReading(path);
  });
  return file === null ? null : named(path, file);
}

export function openToAppend(files: AppendFiles, path: string, create: boolean): AppendFile | null {
  const file = writing(path, () => {
    refuseUnlessPlain(path, "file-unwritable");
    refuseTracked(path);
    return files.open(path, { create });
  });
  return file === null ? null : named(path, file);
}

/**
 * Refuses pipes, which could block forever, and symbolic links, which may lead anywhere; the run's folder is checked,
 * too.
 */
export function refuseUnlessPlain(path: string, code: "file-unreadable" | "file-unwritable"): void {
  const folder = lstatSync(dirname(path), { throwIfNoEntry: false });
  const there = folder?.isSymbolicLink() ? folder : lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined || there.isFile()) return;
  const what = there.isDirectory() ? "a folder" : there.isSymbolicLink() ? "a symbolic link" : "not a regular file";
  throw new HoldfastError(code, { file: path, problem: `it is ${what}` });
}

/**
 * Holdfast keeps runs out of git, so a journal that git tracks came with the repository: anyone may have written the
 * approvals in it, and a session that never touched it must not be told to continue it.
 */
export function refuseTracked(journal: string): void {
  const folder = dirname(journal);
  const run = basename(folder);
  const tracks = trackedRuns(dirname(folder));
  if (tracks(run)) throw new HoldfastError("run-tracked", { run, problem: tracks.problem });
}

export interface TrackedRuns {
  (run: string): boolean;
  /** Why nobody can tell, once it was asked. */
  problem?: string;
}

/** Tells which runs git tracks. Git's index, which may be long, is read once, when it is first asked. */
export function trackedRuns(root: string): TrackedRuns {
  let read: IsTracked | undefined;
  const tracked: TrackedRuns = (run) => {
    try {
      read ??= trackedBelow(root);
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      // Without a folder of runs there is none to doubt.
      if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
      // An archive can bring an index that nobody can read, and runs beside it.
      read = () => true;
      tracked.problem = error.message;
    }
    const tracks = read;
    // A run's folder can also be a submodule, a snapshot alone would claim that its journal was rewound, and with the mark or
    // the queue of a copy that git brings, hooks would write where nobody reads.
    return tracks(run) || decisive.some((name) => tracks(`${run}/${name}`));
  };
  return tracked;
}

const decisive = ["journal.jsonl", "snapshot.json", "copy.json", "notices.jsonl"];

/** Beside the journal of a run that lives in a shared store; see copy-mark.ts. */
export function markPath(root: string, run: string): string {
  return join(root, checkedRunId(run), "copy.json");
}

/** Whether the run's journal is a copy. A mark that came with the repository does not count: it could lock any run. */
export function isCopy(root: string, run: string): boolean {
  try {
    const mark = lstatSync(markPath(root, run), { throwIfNoEntry: false });
    return mark !== undefined && !trackedBelow(root)(`${run}/copy.json`);
  } catch (error) {
    // Whatever is wrong is reported when the journal is opened.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}

/**
 * Whether the run was removed from the shared store, as far as a command here has found out. Its mark then begins so: hooks tell
 * that without loading more.
 */
export function isRemovedCopy(root: string, run: string): boolean {
  return isCopy(root, run) && beginsWith(markPath(root, run), '{"removed":');
}

/** What `reach.ts` writes, and how it begins if all is well: hooks tell that without loading it. */
export const reachName = "shared-store.json";
export const reachedBeginning = '{"failed":null';

/** A copy is advanced in the shared store only; a line that is written here would be on no other machine. */
export function refuseCopy(root: string, run: string): void {
  if (isCopy(root, run)) throw new HoldfastError("run-is-copy", { run });
}

export function writing<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

export function reading<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Wraps a file so that its errors name the path. */
function named(path: string, file: AppendFile): AppendFile {
  return {
    identity: file.identity,
    size: () => reading(path, () => file.size()),
    read: (position, length) => reading(path, () => file.read(position, length)),
    sizeInPlace: () => reading(path, () => file.sizeInPlace()),
    write: (bytes) => writing(path, () => file.write(bytes)),
    flush: () => writing(path, () => file.flush()),
    close: () => file.close(),
  };
}
