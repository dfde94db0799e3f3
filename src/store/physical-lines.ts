import type { AppendFile } from "../platform/append-file.ts";
import { longestLine } from "./journal-line.ts";

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

export function* linesOf(file: AppendFile, from: number): Generator<PhysicalLine> {
  let held: Buffer[] = [];
  let start = from;
  let position = from;
  const take = (end: number, whole: boolean): PhysicalLine => {
    const tooLong = end - start > longestHeld;
    const line = { bytes: tooLong ? Buffer.alloc(0) : joined(held), start, end, whole, tooLong };
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
  for (const { end } of linesOf(file, 0)) {
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
