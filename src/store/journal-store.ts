import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { HoldfastError } from "../errors.ts";
import type { RunEvent } from "../model/event.ts";
import type { AppendFile, AppendFiles } from "../platform/append-file.ts";
import { flushFolder, makeFolders } from "../platform/files.ts";
import { isCopy, journalPath, openToAppend, openToRead, refuseCopy, writing } from "./journal-file.ts";
import { longestLine, type ReadEvents, writeLine } from "./journal-line.ts";
import { type Cursor, type Journal, scan } from "./journal-scan.ts";
import {
  catchUp,
  endsWith,
  hasBytesAt,
  isUnmoved,
  positionAfter,
  positionAt,
  type ReadPosition,
  startOf,
  tailOf,
} from "./read-position.ts";
import { createRunNames } from "./run-names.ts";
import type { Commit, Foundation, Store } from "./store.ts";

/**
 * One journal file per run, one line per commit. Lock-free: a commit is one write at the end of the file, the first
 * line for a version wins, and the writer reads back whether that was its own.
 */
export function createJournalStore(root: string, readEvents: ReadEvents, files: AppendFiles): Store {
  const known = new Map<string, ReadPosition>();
  const open = new Map<string, AppendFile>();
  const names = createRunNames(root, files, readEvents);
  const newWriter = createWriterNames();
  return {
    async append(run, expected, events, on) {
      refuseCopy(root, run);
      const file = open.get(run) ?? openOrCreate(files, journalPath(root, run), expected === 0);
      if (file === null) throw new HoldfastError("version-conflict", { run, expected });
      try {
        const done = commit({ run, root, file, readEvents, known, newWriter }, { expected, on }, events);
        keepOpen(open, run, file);
        return done;
      } catch (error) {
        // After any error, the next append opens the file again.
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
        let place: number | null = null;
        let turnEnds = performance.now() + longestTurn;
        for (const scanned of scan({ run, file, readEvents }, cursor)) {
          cursor = scanned.cursor;
          if (scanned.type !== "commit") continue;
          place = scanned.commit.place;
          if (scanned.commit.version >= from.version) yield scanned.commit;
          if (performance.now() < turnEnds) continue;
          // A long journal takes seconds, and a server has other callers.
          await new Promise((resolve) => setImmediate(resolve));
          turnEnds = performance.now() + longestTurn;
        }
        known.set(run, positionAt(file, cursor, place));
      } finally {
        file.close();
      }
    },
    async isStillAt(run, last) {
      const mine = known.get(run);
      if (mine === undefined || !endsWith(mine, last)) return false;
      const kept = open.get(run);
      if (kept !== undefined) return isUnmoved(kept, mine);
      const file = openToRead(files, journalPath(root, run));
      if (file === null) return false;
      try {
        return isUnmoved(file, mine);
      } finally {
        file.close();
      }
    },
    async list() {
      return names.list();
    },
    async close() {
      known.clear();
      names.forget();
      for (const file of open.values()) file.close();
      open.clear();
    },
  };
}

/**
 * Two writers may write the same events at the same time; a random id makes their lines, and so their hashes, differ.
 */
export function createWriterNames(): () => string {
  const nonce = randomUUID().slice(0, 13);
  let commits = 0;
  return () => {
    commits += 1;
    return `${nonce}-${commits.toString(36)}`;
  };
}

/** In milliseconds: for how long one reader keeps all others waiting. */
const longestTurn = 20;

/** Some systems let a process have 256 files of all kinds open. */
const mostOpen = 64;

/** Keeps the files of busy runs open; the least recently used one is closed. */
export function keepOpen(open: Map<string, AppendFile>, run: string, file: AppendFile): void {
  if (open.size === 1 && open.has(run)) return;
  open.delete(run);
  open.set(run, file);
  const [oldest] = open.keys();
  if (open.size <= mostOpen || oldest === undefined) return;
  open.get(oldest)?.close();
  open.delete(oldest);
}

interface Appending extends Journal {
  readonly root: string;
  newWriter(): string;
  readonly known: Map<string, ReadPosition>;
}

/** What an append builds on: a version, and optionally the commit that its events were decided on. */
interface Expected {
  readonly expected: number;
  readonly on: Foundation | undefined;
}

function commit(at: Appending, { expected, on }: Expected, events: readonly RunEvent[]): Commit {
  const { run, root, file, known } = at;
  const conflict = () => new HoldfastError("version-conflict", { run, expected });
  const size = file.size();
  const before = catchUp(at, known.get(run), { size, version: expected, place: on?.place });
  known.set(run, before);
  if (before.cursor.version !== expected || (on !== undefined && before.cursor.hash !== on.id)) throw conflict();

  const writer = at.newWriter();
  const version = expected + 1;
  const { bytes: line, hash } = writeLine({ version, prev: before.cursor.hash, writer, events });
  if (line.length > longestLine) {
    const problem = "the commit is too long for one line";
    throw new HoldfastError("file-unwritable", { file: journalPath(root, run), problem });
  }
  // A killed writer may have left a partial line at the end; start a new line after it.
  const clean = size === before.cursor.end && (size === 0 || before.tail.at(-1) === newline);
  const bytes = clean ? line : Buffer.concat([Buffer.of(newline), line]);
  // A commit is complete even without its newline.
  if (file.write(bytes) < bytes.length - 1) throw writing(journalPath(root, run), diskFull);

  // One read shows both: that no other writer was faster, and that our base commit is still before it.
  const tail = tailOf(before);
  const after = hasBytesAt(file, before.cursor.end - tail.length, Buffer.concat([tail, bytes]))
    ? wonAtOnce(file, before.cursor, { version, hash, bytes })
    : readBack(at, before, hash);
  if (after === null) throw conflict();
  file.flush();
  // While we wrote, a repair may have replaced the file, or the run may have moved to a shared store.
  if (file.sizeInPlace() === null || isCopy(root, run)) throw conflict();
  known.set(run, after.known);
  return { version, id: hash, place: after.place, events: [...events] };
}

const newline = 0x0a;

interface Won {
  readonly place: number;
  readonly known: ReadPosition;
}

/** The common case, detected without parsing: our bytes are exactly at the offset of the next line. */
function wonAtOnce(
  file: AppendFile,
  before: Cursor,
  { version, hash, bytes }: { readonly version: number; readonly hash: string; readonly bytes: Buffer },
): Won {
  const end = before.end + bytes.length;
  const place = before.end + (bytes[0] === newline ? 1 : 0);
  return { place, known: positionAfter(file, { version, hash, end }, bytes) };
}

/** Others wrote at the same time: the first commit after our base decides. */
function readBack(journal: Journal, before: ReadPosition, hash: string): Won | null {
  let cursor = before.cursor;
  let first: Commit | undefined;
  let last: Commit | undefined;
  for (const scanned of scan(journal, cursor)) {
    cursor = scanned.cursor;
    if (scanned.type !== "commit") continue;
    first ??= scanned.commit;
    last = scanned.commit;
  }
  if (first === undefined || last === undefined || first.id !== hash) return null;
  return { place: first.place, known: positionAt(journal.file, cursor, last.place) };
}

function openOrCreate(files: AppendFiles, path: string, create: boolean): AppendFile | null {
  const there = openToAppend(files, path, false);
  if (there !== null || !create) return there;
  writing(path, () => {
    makeFolders(dirname(path));
    openToAppend(files, path, true)?.close();
    flushFolder(dirname(path));
    flushFolder(dirname(dirname(path)));
  });
  return openToAppend(files, path, false);
}

function diskFull(): never {
  throw Object.assign(new Error("short write"), { code: "ENOSPC", syscall: "write" });
}
