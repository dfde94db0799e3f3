import { HoldfastError } from "../errors.ts";
import type { AppendFile } from "../platform/append-file.ts";
import { type JournalLine, longestHead, longestLine, type ReadEvents, readHead, readLine } from "./journal-line.ts";
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
  for (const physical of linesOf(file, offset, "cut")) yield* piecesOf(physical, readEvents);
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
    const { format, needs } = refused;
    return new HoldfastError("format-newer", { file: `the journal of ${run}`, format, ...(needs && { needs }) });
  }
  // No commit builds on a line that was cut off; if one does, the line was damaged later.
  const cut = refused.type === "misfit" && torn !== null ? torn : null;
  const problem = cut === null ? refused.problem : "a part of it is missing";
  return new HoldfastError("journal-corrupt", { run, line: lineAt(file, cut ?? start), problem });
}

/**
 * A line without its newline. `end` is the offset of the next line; `whole` is false for a last line without newline.
 */
export interface PhysicalLine {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly whole: boolean;
  /** Longer than any commit; its bytes are not kept. */
  readonly tooLong: boolean;
}

const firstChunk = 16 * 1024;
const largestChunk = 256 * 1024;
const newline = 0x0a;
const carriageReturn = 0x0d;
/** The start of a commit directly after one that was cut off. */
const longestHeld = 2 * longestLine;

/**
 * "cut" ends with the first line that is too long, without looking for its end: there may be gigabytes before that, and
 * the thread would be blocked.
 */
function* linesOf(file: AppendFile, from: number, tooLong: "cut" | "whole" = "whole"): Generator<PhysicalLine> {
  let held: Buffer[] = [];
  let start = from;
  let position = from;
  const take = (end: number, whole: boolean): PhysicalLine => {
    const isTooLong = end - start > longestHeld;
    const line = { bytes: isTooLong ? Buffer.alloc(0) : joined(held), start, end, whole, tooLong: isTooLong };
    held = [];
    start = end;
    return line;
  };
  for (let length = firstChunk; ; length = Math.min(length * 2, largestChunk)) {
    const chunk = asBuffer(file.read(position, length));
    if (chunk.length === 0) break;
    let done = 0;
    for (let stop = chunk.indexOf(newline); stop !== -1; stop = chunk.indexOf(newline, done)) {
      held.push(chunk.subarray(done, stop));
      done = stop + 1;
      yield take(position + done, true);
    }
    position += chunk.length;
    if (position - start <= longestHeld) held.push(chunk.subarray(done));
    else if (tooLong === "cut") break;
    else held = [];
  }
  if (position > start) yield take(position, false);
}

/** The number of lines after an offset. */
export function linesFrom(file: AppendFile, offset: number): number {
  let lines = 0;
  for (const _line of linesOf(file, offset)) lines += 1;
  return lines;
}

/** The line number of an offset, counted from 1. */
export function lineAt(file: AppendFile, offset: number): number {
  let number = 1;
  for (const { end } of linesOf(file, 0, "cut")) {
    if (end > offset) break;
    number += 1;
  }
  return number;
}

/** The offset of a line, by its number. */
export function startOfLine(file: AppendFile, number: number): number {
  let current = 1;
  for (const { start } of linesOf(file, 0)) {
    if (current === number) return start;
    current += 1;
  }
  return file.size();
}

/** Strips a carriage return: a tool that converted the newlines has not changed the content. */
function joined(parts: readonly Buffer[]): Buffer {
  const bytes = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  return bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
