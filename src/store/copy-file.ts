import { linkSync } from "node:fs";
import { dirname, join } from "node:path";
import { HoldfastError } from "../errors.ts";
import { type AppendFile, appendFiles } from "../platform/append-file.ts";
import { hasCode, makeFolders, replaceFile } from "../platform/files.ts";
import { checkedEvents } from "./file-store.ts";
import { plainJournal } from "./journal-copy.ts";
import { journalPath, openToAppend, openToRead, writing } from "./journal-file.ts";
import { hashedAt, longestHead, longestLine, readHead } from "./journal-line.ts";
import { beginning, scan } from "./journal-scan.ts";
import { keepOpen } from "./journal-store.ts";
import type { CopiedCommit, Head } from "./store.ts";

// The file with the copy of a shared run. Only whole lines that the shared store has acknowledged are written to it, each
// behind the one that it builds on. Two processes may write the same line: readers pass over the second. It is not
// flushed: what is lost or damaged can be had again.

export interface CopyFiles {
  /** The last commit of the copy; null if there is none. It is told from the end of the file, without reading the rest. */
  last(run: string): Head | null;
  /**
   * Adds those of the commits that the copy does not have, and returns the place of the last of them. Null, and nothing is
   * written, if they do not continue it.
   */
  add(run: string, commits: readonly CopiedCommit[]): number | null;
  close(): void;
}

/** Files of busy runs are kept open, as those of the file store are. */
export function createCopyFiles(root: string): CopyFiles {
  const known = new Map<string, End>();
  const open = new Map<string, AppendFile>();

  function drop(run: string): void {
    open.get(run)?.close();
    open.delete(run);
    known.delete(run);
  }

  /** Where the copy ends, if nobody has written to it since this process did. */
  function unmoved(run: string): End | null {
    const end = known.get(run);
    const size = open.get(run)?.sizeInPlace() ?? null;
    if (size === null) drop(run);
    return end !== undefined && end.size === size ? end : null;
  }

  return {
    last(run) {
      const end = unmoved(run) ?? readEnd(root, run);
      return end === null || end.version === 0 ? null : { version: end.version, id: end.hash };
    },
    add(run, commits) {
      const mine = unmoved(run);
      const file = open.get(run) ?? openCopy(journalPath(root, run));
      keepOpen(open, run, file);
      try {
        const added = addTo(file, mine ?? endOf(run, file), commits);
        if (added === null) return null;
        if (added === "short") {
          throw new HoldfastError("file-unwritable", { file: journalPath(root, run), problem: "the disk is full" });
        }
        if (added.end === null) known.delete(run);
        else known.set(run, added.end);
        return added.place;
      } catch (error) {
        drop(run);
        throw error;
      }
    },
    close() {
      for (const run of [...open.keys()]) drop(run);
    },
  };
}

function readEnd(root: string, run: string): End | null {
  const file = openToRead(appendFiles, journalPath(root, run));
  if (file === null) return null;
  try {
    return endOf(run, file);
  } finally {
    file.close();
  }
}

function openCopy(path: string): AppendFile {
  writing(path, () => makeFolders(dirname(path)));
  const file = openToAppend(appendFiles, path, true);
  if (file === null) throw new HoldfastError("file-unwritable", { file: path, problem: "its folder was removed" });
  return file;
}

interface Added {
  readonly place: number;
  /** Null if another process has written at the same time. */
  readonly end: End | null;
}

function addTo(file: AppendFile, end: End, commits: readonly CopiedCommit[]): Added | "short" | null {
  const missing = commits.filter(({ version }) => version > end.version);
  const [first, last] = [missing[0], missing.at(-1)];
  if (first === undefined || last === undefined || !continues(end, first)) return null;
  const lines = plainJournal(missing);
  const bytes = end.isClean ? lines : Buffer.concat([Buffer.from("\n"), lines]);
  if (file.write(bytes) < bytes.length) return "short";
  const size = file.size();
  const isAlone = size === end.size + bytes.length;
  const offset = isAlone ? 0 : offsetOf(file, end.size, bytes);
  const place = end.size + offset + bytes.length - last.line.length - 1;
  return { place, end: isAlone ? { version: last.version, hash: last.id, size, isClean: true } : null };
}

/** Puts these commits in the place of the copy, which is kept beside it. */
export function replaceCopy(root: string, run: string, commits: readonly CopiedCommit[], keepAs: string): void {
  const path = journalPath(root, run);
  writing(path, () => keep(path, join(dirname(path), keepAs)));
  replaceFile(path, plainJournal(commits), "quick");
}

/** A process that was killed here has kept it already. */
function keep(path: string, as: string): void {
  try {
    linkSync(path, as);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

function continues({ version, hash }: End, commit: CopiedCommit): boolean {
  const head = Buffer.from(commit.line.subarray(0, longestHead)).toString("latin1");
  return commit.version === version + 1 && readHead(head)?.prev === hash;
}

function offsetOf(file: AppendFile, from: number, bytes: Buffer): number {
  return Math.max(0, Buffer.from(file.read(from, file.size() - from)).indexOf(bytes));
}

/** The last commit of a file, and its size. */
interface End {
  readonly version: number;
  readonly hash: string;
  readonly size: number;
  /** Whether the next line can be written at once. */
  readonly isClean: boolean;
}

function endOf(run: string, file: AppendFile): End {
  const size = file.size();
  const last = lastLine(file, size);
  const whole = last === null ? null : hashedAt(last, 0);
  const head = last === null ? null : readHead(last.toString("latin1", 0, longestHead));
  if (last !== null && whole?.to === last.length && head !== null) {
    return { version: head.version, hash: whole.hash, size, isClean: true };
  }
  let { version, hash } = beginning;
  for (const { cursor } of scan({ run, file, readEvents: checkedEvents }, beginning)) ({ version, hash } = cursor);
  return { version, hash, size, isClean: size === 0 };
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
