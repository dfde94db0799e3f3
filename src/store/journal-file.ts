import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { HoldfastError } from "../errors.ts";
import { checkedRunId } from "../model/run-id.ts";
import type { AppendFile, AppendFiles } from "../platform/append-file.ts";
import { unreadable, unwritable } from "../platform/files.ts";

export function journalPath(root: string, run: string): string {
  return join(root, checkedRunId(run), "journal.jsonl");
}

export function openToRead(files: AppendFiles, path: string): AppendFile | null {
  const file = reading(path, () => {
    refuseUnlessPlain(path, "file-unreadable");
    return files.openForReading(path);
  });
  return file === null ? null : named(path, file);
}

export function openToAppend(files: AppendFiles, path: string, create: boolean): AppendFile | null {
  const file = writing(path, () => {
    refuseUnlessPlain(path, "file-unwritable");
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
