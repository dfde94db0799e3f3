import { HoldfastError } from "../errors.ts";
import type { AppendFile } from "../platform/append-file.ts";
import { type JournalLine, longestHead, type ReadEvents, readHead, readLine } from "./journal-line.ts";
import { lineAt, linesOf, type PhysicalLine } from "./physical-lines.ts";
import type { Commit } from "./store.ts";

/** How far a journal has been read: the last commit, and the offset of the next line. */
export interface Cursor {
  readonly version: number;
  readonly hash: string;
  readonly end: number;
}

/** An open journal file, and how its events are checked. */
export interface Journal {
  readonly run: string;
  readonly file: AppendFile;
  readonly readEvents: ReadEvents;
}

export const beginning: Cursor = { version: 0, hash: "", end: 0 };

/** One line, and the cursor after it. Only the first valid line for a version is a commit. */
export type Scanned =
  | { readonly type: "commit"; readonly commit: Commit; readonly cursor: Cursor }
  | { readonly type: "passed-over"; readonly reason: "torn" | "late" | "blank"; readonly cursor: Cursor };

/**
 * Reads a journal from a cursor to its end. The first of several lines for one version wins; a line cut off by a crash
 * is skipped; anything else that does not fit is thrown as corruption.
 */
export function* scan({ run, file, readEvents }: Journal, start: Cursor): Generator<Scanned> {
  let cursor = start;
  let torn: number | null = null;
  for (const piece of piecesFrom(file, start.end, readEvents)) {
    if (piece.line.type === "torn" && piece.unfinished) return;
    const judged = judge(piece, cursor);
    if (!("cursor" in judged)) throw refusalOf(run, file, judged, piece.start, torn);
    cursor = judged.cursor;
    if (judged.type === "commit") torn = null;
    else if (judged.reason === "torn") torn ??= piece.start;
    yield judged;
  }
}

/**
 * The cursor before the commit of this version, if it is at this offset and won: the commit it builds on is shortly
 * before it, with no other line for its version in between.
 */
export function cursorAt(file: AppendFile, place: number, version: number): Cursor | null {
  if (version <= 1) return null;
  // Check only the head here; the scan from this cursor reads and checks the commit itself.
  const length = Math.min(place, lookBack);
  const around = Buffer.from(file.read(place - length, length + longestHead)).toString("latin1");
  const head = readHead(around.slice(length));
  if (head?.version !== version) return null;
  const before = around.slice(0, length);
  const previous = before.lastIndexOf(`"hash":"${head.prev}"}`);
  const rivalled = before.slice(previous).includes(`"version":${version},`);
  return previous === -1 || rivalled ? null : { version: version - 1, hash: head.prev, end: place };
}

const lookBack = 16 * 1024;

/** What one writer wrote, usually a complete line. */
interface Piece {
  readonly line: JournalLine | { readonly type: "blank" };
  /** The start offset of its physical line. */
  readonly start: number;
  /** The end of a file without a newline: still being written, or left by a crash. */
  readonly unfinished: boolean;
  readonly from: number;
  readonly to: number;
}

function* piecesFrom(file: AppendFile, offset: number, readEvents: ReadEvents): Generator<Piece> {
  for (const physical of linesOf(file, offset)) yield* piecesOf(physical, readEvents);
}

function* piecesOf(physical: PhysicalLine, readEvents: ReadEvents): Generator<Piece> {
  const { bytes, start, end, whole, tooLong } = physical;
  const all = { start, unfinished: !whole, from: start, to: end };
  if (tooLong) yield { ...all, line: { type: "corrupt", problem: "it is longer than any commit" } };
  else if (bytes.length === 0) yield { ...all, line: { type: "blank" } };
  let from = start;
  for (const line of readLine(bytes, readEvents)) {
    const inner = "to" in line ? line.to : bytes.length;
    const isLast = inner === bytes.length;
    const to = isLast && whole ? end : start + inner;
    yield { start, unfinished: isLast && !whole, line, from, to };
    from = to;
  }
}

/** A valid line that does not belong at its place. */
interface Misfit {
  readonly type: "misfit";
  readonly problem: string;
}

type Refused = Exclude<JournalLine, { to: number }> | Misfit;

function judge({ line, from: place, to: end }: Piece, before: Cursor): Scanned | Refused {
  switch (line.type) {
    case "blank":
    case "torn":
      return { type: "passed-over", reason: line.type, cursor: { ...before, end } };
    case "newer":
    case "corrupt":
      return line;
    case "commit": {
      const { version, prev, hash, events } = line;
      if (version <= before.version) return { type: "passed-over", reason: "late", cursor: { ...before, end } };
      if (version > before.version + 1) {
        return { type: "misfit", problem: `version ${version} follows version ${before.version}` };
      }
      if (prev !== before.hash) return { type: "misfit", problem: "an earlier line was changed after it was written" };
      return { type: "commit", commit: { version, id: hash, place, events }, cursor: { version, hash, end } };
    }
  }
}

function refusalOf(run: string, file: AppendFile, refused: Refused, start: number, torn: number | null): HoldfastError {
  if (refused.type === "newer") {
    return new HoldfastError("format-newer", { file: `the journal of ${run}`, format: refused.format });
  }
  // No commit builds on a line that was cut off; if one does, the line was damaged later.
  const cut = refused.type === "misfit" && torn !== null ? torn : null;
  const problem = cut === null ? refused.problem : "a part of it is missing";
  return new HoldfastError("journal-corrupt", { run, line: lineAt(file, cut ?? start), problem });
}
