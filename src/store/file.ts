import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { HoldfastError, isHoldfastError } from "../errors.ts";
import type { RunEvent } from "../model/event.ts";
import { RunId } from "../model/ids.ts";
import { type AppendFile, type AppendFiles, appendFiles } from "../platform/append-file.ts";
import { flushFolder, hasCode } from "../platform/files.ts";
import { openToAppend, openToRead, reading, writing } from "./journal-file.ts";
import { longestLine, writeLine } from "./journal-line.ts";
import { beginning, type Cursor, cursorAt, scan } from "./journal-scan.ts";
import type { Commit, ReadFrom, Store } from "./store.ts";

/**
 * One journal file per run, one line per commit. Nothing is locked: a commit is one write at the end of
 * the file, the first line for a version wins, and the writer reads back whether that was its own.
 */
export function createFileStore(root: string, files: AppendFiles = appendFiles): Store {
  const known = new Map<string, Known>();
  const open = new Map<string, AppendFile>();
  return {
    async append(run, expected, events) {
      const path = journalPath(root, run);
      const kept = open.get(run);
      const file = kept ?? openOrCreate(files, path, expected === 0);
      if (file === null) throw new HoldfastError("version-conflict", { run, expected });
      try {
        const done = commit({ run, path, file, known }, expected, events);
        keepOpen(open, run, file);
        return done;
      } catch (error) {
        // Whatever went wrong, the next append looks the file up anew.
        open.delete(run);
        file.close();
        throw error;
      }
    },
    async *read(run, from = { version: 1 }) {
      const file = openToRead(files, journalPath(root, run));
      if (file === null) return;
      try {
        let cursor = startOf(file, from);
        for (const scanned of scan(run, file, cursor)) {
          cursor = scanned.cursor;
          if (scanned.type === "commit" && scanned.commit.version >= from.version) yield scanned.commit;
        }
        known.set(run, knownOf(file, cursor));
      } finally {
        file.close();
      }
    },
    async list() {
      return namesIn(root).filter((name) => RunId.safeParse(name).success && hasCommit(files, root, name));
    },
    async close() {
      known.clear();
      for (const file of open.values()) file.close();
      open.clear();
    },
  };
}

const mostOpen = 16;

/** A busy run is not opened anew for every commit; the one that was quiet longest makes room. */
function keepOpen(open: Map<string, AppendFile>, run: string, file: AppendFile): void {
  open.delete(run);
  open.set(run, file);
  const [oldest] = open.keys();
  if (open.size <= mostOpen || oldest === undefined) return;
  open.get(oldest)?.close();
  open.delete(oldest);
}

export function journalPath(root: string, run: string): string {
  return join(root, RunId.parse(run), "journal.jsonl");
}

interface Appending {
  readonly run: string;
  readonly path: string;
  readonly file: AppendFile;
  readonly known: Map<string, Known>;
}

/** How far this process has read a journal, and how to tell that it is still the same one. */
interface Known {
  readonly cursor: Cursor;
  readonly identity: string;
  /** The last bytes before the cursor: a file may be written anew under its old identity. */
  readonly tail: Uint8Array;
}

const tailLength = 80;

function commit(at: Appending, expected: number, events: readonly RunEvent[]): Commit {
  const { run, path, file, known } = at;
  const conflict = () => new HoldfastError("version-conflict", { run, expected });
  const size = file.size();
  const before = catchUp(run, file, known.get(run), size);
  known.set(run, before);
  if (before.cursor.version !== expected) throw conflict();

  // Two writers may say the same at the same moment; the nonce makes their lines, and so their hashes, differ.
  const writer = randomUUID().slice(0, 13);
  const version = expected + 1;
  const { bytes: line, hash } = writeLine({ version, prev: before.cursor.hash, writer, events });
  if (line.length > longestLine) {
    throw new HoldfastError("file-unwritable", { file: path, problem: "the commit is too long for one line" });
  }
  // What stands behind the last whole line was left by a killed writer; ours must not join it.
  const clean = size === before.cursor.end && (size === 0 || before.tail.at(-1) === newline);
  const bytes = clean ? line : Buffer.concat([Buffer.of(newline), line]);
  // Without its line end a commit is whole all the same.
  if (file.write(bytes) < bytes.length - 1) throw writing(path, diskFull);

  // One read shows both: that nobody was faster, and that what we built on still stands before it.
  const expectedEnd = Buffer.concat([before.tail, bytes]);
  const after = standsAt(file, before.cursor.end - before.tail.length, expectedEnd)
    ? wonAtOnce(file, before.cursor, { version, hash, bytes })
    : readBack(run, file, before, hash);
  if (after === null) throw conflict();
  file.flush();
  // A repair may have put a new file in the place of this one while we wrote.
  if (!file.isInPlace()) throw conflict();
  known.set(run, after.known);
  return { version, id: hash, place: after.place, events: [...events] };
}

const newline = 0x0a;

/** The common case, told without parsing: our bytes stand right where the next line had to begin. */
function standsAt(file: AppendFile, position: number, bytes: Uint8Array): boolean {
  return Buffer.compare(file.read(position, bytes.length), bytes) === 0;
}

interface Won {
  readonly place: number;
  readonly known: Known;
}

function wonAtOnce(
  { identity }: AppendFile,
  before: Cursor,
  { version, hash, bytes }: { readonly version: number; readonly hash: string; readonly bytes: Buffer },
): Won {
  const end = before.end + bytes.length;
  const place = before.end + (bytes[0] === newline ? 1 : 0);
  return { place, known: { identity, cursor: { version, hash, end }, tail: bytes.subarray(-tailLength) } };
}

/** Others wrote at the same moment: the first commit behind where we stood decides. */
function readBack(run: string, file: AppendFile, before: Known, hash: string): Won | null {
  let cursor = before.cursor;
  let first: Commit | undefined;
  for (const scanned of scan(run, file, cursor)) {
    cursor = scanned.cursor;
    if (scanned.type === "commit") first ??= scanned.commit;
  }
  return first?.id === hash ? { place: first.place, known: knownOf(file, cursor) } : null;
}

/** Reads what others have written since; all of it when the file is not the one that was read. */
function catchUp(run: string, file: AppendFile, last: Known | undefined, size: number): Known {
  if (last?.identity === file.identity && size === last.cursor.end) return last;
  const same = last !== undefined && isSame(file, last);
  let cursor = same ? last.cursor : beginning;
  for (const scanned of scan(run, file, cursor)) cursor = scanned.cursor;
  return knownOf(file, cursor);
}

function isSame(file: AppendFile, { identity, cursor, tail }: Known): boolean {
  return file.identity === identity && standsAt(file, cursor.end - tail.length, tail);
}

function knownOf(file: AppendFile, cursor: Cursor): Known {
  const length = Math.min(cursor.end, tailLength);
  return { cursor, identity: file.identity, tail: file.read(cursor.end - length, length) };
}

/** The hint is believed only when the commit is really there. */
function startOf(file: AppendFile, { version, place }: ReadFrom): Cursor {
  const usable = place !== undefined && Number.isSafeInteger(place) && place >= 0;
  return (usable ? cursorAt(file, place, version) : null) ?? beginning;
}

function openOrCreate(files: AppendFiles, path: string, create: boolean): AppendFile | null {
  const there = openToAppend(files, path, false);
  if (there !== null || !create) return there;
  writing(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    openToAppend(files, path, true)?.close();
    flushFolder(dirname(path));
    flushFolder(dirname(dirname(path)));
  });
  return openToAppend(files, path, false);
}

/** What cannot be read is a run too: whoever loads it is told why. */
function hasCommit(files: AppendFiles, root: string, run: string): boolean {
  let file: AppendFile | null = null;
  try {
    file = openToRead(files, journalPath(root, run));
    if (file === null) return false;
    for (const scanned of scan(run, file, beginning)) if (scanned.type === "commit") return true;
    return false;
  } catch (error) {
    if (isHoldfastError(error)) return true;
    throw error;
  } finally {
    file?.close();
  }
}

function namesIn(folder: string): string[] {
  return reading(folder, () => {
    try {
      return readdirSync(folder).sort();
    } catch (cause) {
      if (hasCode(cause, "ENOENT")) return [];
      throw cause;
    }
  });
}

function diskFull(): never {
  throw Object.assign(new Error("short write"), { code: "ENOSPC", syscall: "write" });
}
