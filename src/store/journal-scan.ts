import { HoldfastError } from "../errors.ts";
import type { AppendFile } from "../platform/append-file.ts";
import { readLine } from "./journal-line.ts";
import type { Commit } from "./store.ts";

/** How far a journal has been read: the last commit, and where the next line begins. */
export interface Cursor {
  readonly version: number;
  readonly hash: string;
  readonly end: number;
}

export const beginning: Cursor = { version: 0, hash: "", end: 0 };

/** One line, and the cursor behind it. Only a line that wins its version is a commit. */
export type Scanned =
  | { readonly type: "commit"; readonly commit: Commit; readonly cursor: Cursor }
  | { readonly type: "passed-over"; readonly reason: "torn" | "late"; readonly cursor: Cursor };

const chunkSize = 256 * 1024;
const newline = 0x0a;

/**
 * Reads a journal from a cursor to its last whole line. Of several lines for one version the first wins;
 * a line cut off by a crash is passed over; anything else that does not fit is corruption, and thrown.
 */
export function* scan(run: string, file: AppendFile, start: Cursor): Generator<Scanned> {
  let cursor = start;
  for (const { text, end } of linesOf(file, start.end)) {
    const scanned = judge(text, cursor, end);
    if (scanned.type === "newer")
      throw new HoldfastError("format-newer", { file: `the journal of ${run}`, ...scanned });
    if (scanned.type === "corrupt") {
      throw new HoldfastError("journal-corrupt", { run, line: lineAt(file, cursor.end), problem: scanned.problem });
    }
    cursor = scanned.cursor;
    if (text !== "") yield scanned;
  }
}

/** The cursor before the commit of this version, if it stands at this place. */
export function cursorAt(file: AppendFile, place: number, version: number): Cursor | null {
  for (const { text } of linesOf(file, place)) {
    const line = readLine(text);
    return line.type === "commit" && line.version === version
      ? { version: version - 1, hash: line.prev, end: place }
      : null;
  }
  return null;
}

type Judged = Scanned | { type: "newer"; format: number } | { type: "corrupt"; problem: string };

function judge(text: string, before: Cursor, end: number): Judged {
  const line = text === "" ? ({ type: "torn" } as const) : readLine(text);
  switch (line.type) {
    case "torn":
      return { type: "passed-over", reason: "torn", cursor: { ...before, end } };
    case "newer":
    case "corrupt":
      return line;
    case "commit": {
      const { version, prev, hash, events } = line;
      if (version <= before.version) return { type: "passed-over", reason: "late", cursor: { ...before, end } };
      if (version > before.version + 1) {
        return { type: "corrupt", problem: `version ${version} follows version ${before.version}` };
      }
      if (prev !== before.hash) return { type: "corrupt", problem: "an earlier line was changed after it was written" };
      const commit = { version, id: hash, place: before.end, events };
      return { type: "commit", commit, cursor: { version, hash, end } };
    }
  }
}

/** Whole lines only: a rest without a line end is still being written, or was never finished. */
function* linesOf(file: AppendFile, start: number): Generator<{ readonly text: string; readonly end: number }> {
  let rest = Buffer.alloc(0);
  let position = start;
  let end = start;
  for (;;) {
    const chunk = file.read(position, chunkSize);
    if (chunk.length === 0) return;
    position += chunk.length;
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let stop = bytes.indexOf(newline); stop !== -1; stop = bytes.indexOf(newline, from)) {
      end += stop + 1 - from;
      yield { text: bytes.toString("utf8", from, stop), end };
      from = stop + 1;
    }
    rest = bytes.subarray(from);
  }
}

/** How many lines stand behind an offset. */
export function linesFrom(file: AppendFile, offset: number): number {
  return [...linesOf(file, offset)].length;
}

function lineAt(file: AppendFile, offset: number): number {
  let line = 1;
  for (const { end } of linesOf(file, 0)) {
    if (end > offset) break;
    line += 1;
  }
  return line;
}
