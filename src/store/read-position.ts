import type { AppendFile } from "../platform/append-file.ts";
import { beginning, type Cursor, cursorAt, type Journal, scan } from "./journal-scan.ts";
import type { Head, ReadFrom } from "./store.ts";

/** How far this process has read a journal, and how to tell that it is still the same file. */
export interface ReadPosition {
  readonly cursor: Cursor;
  readonly identity: string;
  /** The bytes before the cursor; a file may be rewritten and keep its inode. */
  readonly tail: Uint8Array;
  /** Whether the tail contains the complete last commit. */
  readonly holdsLast: boolean;
}

/** Enough to tell one commit's end from another's, because it contains the hash. */
const shortTail = 80;
/** Longer commits are rare and not worth the memory. */
const longestTail = 64 * 1024;

/** What is known about a file read up to a cursor; `place` is the offset of the last commit, if known. */
export function positionAt(file: AppendFile, cursor: Cursor, place: number | null): ReadPosition {
  const wanted = place === null ? longestTail + 1 : cursor.end - place;
  const holdsLast = wanted <= longestTail;
  const length = holdsLast ? wanted : Math.min(cursor.end, shortTail);
  return { cursor, identity: file.identity, tail: file.read(cursor.end - length, length), holdsLast };
}

/** The same right after our own commit, whose bytes need not be read again. */
export function positionAfter({ identity }: AppendFile, cursor: Cursor, line: Buffer): ReadPosition {
  const holdsLast = line.length <= longestTail;
  // Copy the end, so that the whole line is not kept in memory.
  return { cursor, identity, tail: holdsLast ? line : Buffer.from(line.subarray(-shortTail)), holdsLast };
}

/** Reads to the end of the journal and returns the cursor there. */
function readOn(journal: Journal, start: Cursor): ReadPosition {
  let cursor = start;
  let place: number | null = null;
  for (const scanned of scan(journal, start)) {
    cursor = scanned.cursor;
    if (scanned.type === "commit") place = scanned.commit.place;
  }
  return positionAt(journal.file, cursor, place);
}

/** Reads what others have written since; if it is another file, reads from the hint or from the beginning. */
export function catchUp(
  journal: Journal,
  last: ReadPosition | undefined,
  hint: ReadFrom & { size: number },
): ReadPosition {
  const { file } = journal;
  if (last?.identity === file.identity && hint.size === last.cursor.end) return last;
  const same = last !== undefined && isSame(file, last);
  return readOn(journal, same ? last.cursor : startOf(file, hint));
}

/** Whether the last known commit is still the last one in the file. */
export function isUnmoved(file: AppendFile, known: ReadPosition): boolean {
  return known.holdsLast && file.sizeInPlace() === known.cursor.end && isSame(file, known);
}

export function endsWith({ cursor }: ReadPosition, { version, id }: Head): boolean {
  return cursor.version === version && cursor.hash === id;
}

/** Uses the hint only if the commit is really there. */
export function startOf(file: AppendFile, { version, place }: ReadFrom): Cursor {
  const usable = place !== undefined && Number.isSafeInteger(place) && place >= 0;
  return (usable ? cursorAt(file, place, version) : null) ?? beginning;
}

export function tailOf({ tail }: ReadPosition): Uint8Array {
  return tail.subarray(-shortTail);
}

export function hasBytesAt(file: AppendFile, position: number, bytes: Uint8Array): boolean {
  return Buffer.compare(file.read(position, bytes.length), bytes) === 0;
}

function isSame(file: AppendFile, { identity, cursor, tail }: ReadPosition): boolean {
  return file.identity === identity && hasBytesAt(file, cursor.end - tail.length, tail);
}
