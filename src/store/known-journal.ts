import type { AppendFile } from "../platform/append-file.ts";
import { beginning, type Cursor, cursorAt, type Journal, scan } from "./journal-scan.ts";
import type { Head, ReadFrom } from "./store.ts";

/** How far this process has read a journal, and how to tell that it is still the same one. */
export interface Known {
  readonly cursor: Cursor;
  readonly identity: string;
  /** The bytes before the cursor: a file may be written anew under its old identity. */
  readonly tail: Uint8Array;
  /** Whether the last commit is in the tail as a whole. */
  readonly holdsLast: boolean;
}

/** Enough to tell one commit's end from another's: its hash is in it. */
const shortTail = 80;
/** Longer commits are rare, and not worth their memory. */
const longestTail = 64 * 1024;

/** What is known of a file read up to a cursor, where the last commit began at `place`, as far as that was seen. */
export function knownOf(file: AppendFile, cursor: Cursor, place: number | null): Known {
  const wanted = place === null ? longestTail + 1 : cursor.end - place;
  const holdsLast = wanted <= longestTail;
  const length = holdsLast ? wanted : Math.min(cursor.end, shortTail);
  return { cursor, identity: file.identity, tail: file.read(cursor.end - length, length), holdsLast };
}

/** The same right after a commit of ours, whose bytes nobody has to read again. */
export function knownAfter({ identity }: AppendFile, cursor: Cursor, line: Buffer): Known {
  const holdsLast = line.length <= longestTail;
  // A copy, so that no long line is held for its end.
  return { cursor, identity, tail: holdsLast ? line : Buffer.from(line.subarray(-shortTail)), holdsLast };
}

/** Reads to the end of the journal and says how far that is. */
function readOn(journal: Journal, start: Cursor): Known {
  let cursor = start;
  let place: number | null = null;
  for (const scanned of scan(journal, start)) {
    cursor = scanned.cursor;
    if (scanned.type === "commit") place = scanned.commit.place;
  }
  return knownOf(journal.file, cursor, place);
}

/** Reads what others have written since; from the hint, or all of it, when the file is not the one that was read. */
export function catchUp(journal: Journal, last: Known | undefined, hint: ReadFrom & { size: number }): Known {
  const { file } = journal;
  if (last?.identity === file.identity && hint.size === last.cursor.end) return last;
  const same = last !== undefined && isSame(file, last);
  return readOn(journal, same ? last.cursor : startOf(file, hint));
}

/** Whether a read from the last commit on would show that very commit, and nothing behind it. */
export function isUnmoved(file: AppendFile, known: Known): boolean {
  return known.holdsLast && file.sizeInPlace() === known.cursor.end && isSame(file, known);
}

export function endsWith({ cursor }: Known, { version, id }: Head): boolean {
  return cursor.version === version && cursor.hash === id;
}

/** The hint is believed only when the commit is really there. */
export function startOf(file: AppendFile, { version, place }: ReadFrom): Cursor {
  const usable = place !== undefined && Number.isSafeInteger(place) && place >= 0;
  return (usable ? cursorAt(file, place, version) : null) ?? beginning;
}

export function tailOf({ tail }: Known): Uint8Array {
  return tail.subarray(-shortTail);
}

export function standsAt(file: AppendFile, position: number, bytes: Uint8Array): boolean {
  return Buffer.compare(file.read(position, bytes.length), bytes) === 0;
}

function isSame(file: AppendFile, { identity, cursor, tail }: Known): boolean {
  return file.identity === identity && standsAt(file, cursor.end - tail.length, tail);
}
