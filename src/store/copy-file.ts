import { linkSync } from "node:fs";
import { dirname, join } from "node:path";
import { HoldfastError } from "../errors.ts";
import { type AppendFile, appendFiles } from "../platform/append-file.ts";
import { makeFolders, replaceFile } from "../platform/files.ts";
import { checkedEvents } from "./file-store.ts";
import { plainJournal } from "./journal-copy.ts";
import { journalPath, openToAppend, openToRead, writing } from "./journal-file.ts";
import { hashedAt, longestLine, readHead } from "./journal-line.ts";
import { beginning, type Cursor, scan } from "./journal-scan.ts";
import type { CopiedCommit, Head } from "./store.ts";

// The file with the copy of a shared run. Only whole lines that the shared store has acknowledged are written to it, each
// behind the one that it builds on. Two processes may write the same line: readers pass over the second. It is not
// flushed: what is lost or damaged can be had again.

/** The last commit of the copy; null if there is none. It is told from the end of the file, without reading the rest. */
export function lastCopied(root: string, run: string): Head | null {
  const file = openToRead(appendFiles, journalPath(root, run));
  if (file === null) return null;
  try {
    const { version, hash } = endOf(run, file).cursor;
    return version === 0 ? null : { version, id: hash };
  } finally {
    file.close();
  }
}

/**
 * Adds those of the commits that the copy does not have, and returns the place of the last of them. Null, and nothing is
 * written, if they do not continue it.
 */
export function addToCopy(root: string, run: string, commits: readonly CopiedCommit[]): number | null {
  const path = journalPath(root, run);
  writing(path, () => makeFolders(dirname(path)));
  const file = openToAppend(appendFiles, path, true);
  if (file === null) return null;
  try {
    const { cursor, isClean } = endOf(run, file);
    const missing = commits.filter(({ version }) => version > cursor.version);
    const [first] = missing;
    if (first === undefined || !continues(cursor, first)) return null;
    const lines = plainJournal(missing);
    const bytes = isClean ? lines : Buffer.concat([Buffer.from("\n"), lines]);
    const before = file.size();
    if (file.write(bytes) < bytes.length) {
      throw new HoldfastError("file-unwritable", { file: path, problem: "the disk is full" });
    }
    const last = missing.at(-1)?.line ?? lines;
    return before + offsetOf(file, before, bytes) + bytes.length - last.length - 1;
  } finally {
    file.close();
  }
}

/** Puts these commits in the place of the copy, which is kept beside it. */
export function replaceCopy(root: string, run: string, commits: readonly CopiedCommit[], keepAs: string): void {
  const path = journalPath(root, run);
  writing(path, () => linkSync(path, join(dirname(path), keepAs)));
  replaceFile(path, plainJournal(commits), "quick");
}

function continues({ version, hash }: Cursor, commit: CopiedCommit): boolean {
  return commit.version === version + 1 && readHead(commit.line.toString("latin1", 0, 200))?.prev === hash;
}

/** Another process may have written in between. */
function offsetOf(file: AppendFile, from: number, bytes: Buffer): number {
  return Math.max(0, Buffer.from(file.read(from, file.size() - from)).indexOf(bytes));
}

interface End {
  readonly cursor: Cursor;
  /** Whether the next line can be written at once. */
  readonly isClean: boolean;
}

function endOf(run: string, file: AppendFile): End {
  const size = file.size();
  const last = lastLine(file, size);
  const whole = last === null ? null : hashedAt(last, 0);
  const head = last === null ? null : readHead(last.toString("latin1", 0, 200));
  if (last !== null && whole?.to === last.length && head !== null) {
    return { cursor: { version: head.version, hash: whole.hash, end: size }, isClean: true };
  }
  let cursor = beginning;
  for (const scanned of scan({ run, file, readEvents: checkedEvents }, beginning)) cursor = scanned.cursor;
  return { cursor, isClean: size === 0 };
}

/** The bytes of the last line; null if it has no end, or the file has none. */
function lastLine(file: AppendFile, size: number): Buffer | null {
  for (let length = 16 * 1024; ; length *= 8) {
    const from = Math.max(0, size - length);
    const bytes = Buffer.from(file.read(from, size - from));
    if (bytes.at(-1) !== newline) return null;
    const start = bytes.lastIndexOf(newline, -2);
    if (start !== -1 || from === 0) return bytes.subarray(start + 1, -1);
    if (length > longestLine) return null;
  }
}

const newline = 0x0a;
