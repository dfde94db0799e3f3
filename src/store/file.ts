import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { HoldfastError } from "../errors.ts";
import type { RunEvent } from "../model/event.ts";
import { RunId } from "../model/ids.ts";
import { type AppendFile, type AppendFiles, appendFiles } from "../platform/append-file.ts";
import { flushFolder, hasCode, unreadable, unwritable } from "../platform/files.ts";
import { writeLine } from "./journal-line.ts";
import { beginning, type Cursor, cursorAt, scan } from "./journal-scan.ts";
import type { Commit, ReadFrom, Store } from "./store.ts";

/**
 * One journal file per run, one line per commit. Nothing is locked: a commit is one write at the end of
 * the file, the first line for a version wins, and the writer reads back whether that was its own.
 */
export function createFileStore(root: string, files: AppendFiles = appendFiles): Store {
  const known = new Map<string, Known>();
  return {
    async append(run, expected, events) {
      const path = journalPath(root, run);
      const file = writing(path, () => openForAppend(files, path, expected === 0));
      if (file === null) throw new HoldfastError("version-conflict", { run, expected });
      try {
        return commit({ run, path, file, known }, expected, events);
      } finally {
        file.close();
      }
    },
    async *read(run, from = { version: 1 }) {
      const path = journalPath(root, run);
      const file = reading(path, () => files.openForReading(path));
      if (file === null) return;
      try {
        let cursor = startOf(file, from);
        for (const scanned of scan(run, file, cursor)) {
          cursor = scanned.cursor;
          if (scanned.type === "commit" && scanned.commit.version >= from.version) yield scanned.commit;
        }
        known.set(run, { cursor, identity: file.identity });
      } finally {
        file.close();
      }
    },
    async list() {
      return namesIn(root).filter((name) => RunId.safeParse(name).success && hasJournal(journalPath(root, name)));
    },
    async close() {
      known.clear();
    },
  };
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

/** How far this process has read a journal, and which file that was. */
interface Known {
  readonly cursor: Cursor;
  readonly identity: string;
}

function commit(at: Appending, expected: number, events: readonly RunEvent[]): Commit {
  const { run, path, file, known } = at;
  const { identity } = file;
  const conflict = () => new HoldfastError("version-conflict", { run, expected });
  const last = known.get(run);
  const size = file.size();
  const start = last?.identity === identity && last.cursor.end <= size ? last.cursor : beginning;
  const before = start.end === size ? start : catchUp(run, file, start).cursor;
  known.set(run, { cursor: before, identity });
  if (before.version !== expected) throw conflict();

  // Two writers may say the same at the same moment; the nonce makes their lines, and so their hashes, differ.
  const writer = randomUUID().slice(0, 13);
  const version = expected + 1;
  const { text, hash } = writeLine({ version, prev: before.hash, writer, events });
  // What stands behind the last whole line was left by a killed writer; ours must not join it.
  const bytes = Buffer.from(size === before.end ? text : `\n${text}`);
  writing(path, () => {
    if (file.write(bytes) !== bytes.length) throw diskFull();
  });
  if (!wonBy(bytes, file, before) && catchUp(run, file, before).first?.id !== hash) throw conflict();
  writing(path, () => file.flush());
  // A repair may have put a new file in the place of this one while we wrote.
  if (!file.isInPlace()) throw conflict();
  known.set(run, { cursor: { version, hash, end: before.end + bytes.length }, identity });
  return { version, id: hash, place: before.end, events: structuredClone(events) };
}

/** The common case, told without parsing: our bytes stand right where the next line had to begin. */
function wonBy(bytes: Uint8Array, file: AppendFile, before: Cursor): boolean {
  return Buffer.compare(file.read(before.end, bytes.length), bytes) === 0;
}

/** Reads what others have written since; `first` is the first commit among it. */
function catchUp(run: string, file: AppendFile, start: Cursor) {
  let cursor = start;
  let first: Commit | undefined;
  for (const scanned of scan(run, file, start)) {
    cursor = scanned.cursor;
    if (scanned.type === "commit") first ??= scanned.commit;
  }
  return { cursor, first };
}

/** The hint is believed only when the commit is really there. */
function startOf(file: AppendFile, { version, place }: ReadFrom): Cursor {
  return (place === undefined ? null : cursorAt(file, place, version)) ?? beginning;
}

function openForAppend(files: AppendFiles, path: string, create: boolean): AppendFile | null {
  const there = files.open(path, { create: false });
  if (there !== null || !create) return there;
  mkdirSync(dirname(path), { recursive: true });
  const made = files.open(path, { create: true });
  flushFolder(dirname(path));
  flushFolder(dirname(dirname(path)));
  return made;
}

function hasJournal(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return [];
    throw unreadable(folder, cause);
  }
}

function diskFull(): Error {
  return Object.assign(new Error("short write"), { code: "ENOSPC", syscall: "write" });
}

function writing<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function reading<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}
