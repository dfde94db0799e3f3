import { linkSync } from "node:fs";
import { dirname, join } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { appendFiles } from "../platform/append-file.ts";
import { readBytes, replaceFile, unwritable } from "../platform/files.ts";
import { journalPath } from "./file.ts";
import { beginning, type Cursor, linesFrom, scan } from "./journal-scan.ts";

/** What a look at every line of a journal shows. */
export interface Inspection {
  readonly commits: number;
  readonly torn: number;
  readonly late: number;
  /** The first line that is not what was written, if there is one. */
  readonly damage: { readonly line: number; readonly problem: string; readonly lost: number } | null;
  readonly end: Cursor;
}

export function inspectJournal(root: string, run: string): Inspection | null {
  const file = appendFiles.openForReading(journalPath(root, run));
  if (file === null) return null;
  let [commits, torn, late, end] = [0, 0, 0, beginning];
  try {
    for (const scanned of scan(run, file, beginning)) {
      end = scanned.cursor;
      if (scanned.type === "commit") commits += 1;
      else if (scanned.reason === "torn") torn += 1;
      else late += 1;
    }
    return { commits, torn: torn + (file.size() > end.end ? 1 : 0), late, damage: null, end };
  } catch (error) {
    if (!isHoldfastError(error, "journal-corrupt")) throw error;
    const { line, problem } = error.data;
    return { commits, torn, late, damage: { line, problem, lost: linesFrom(file, end.end) }, end };
  } finally {
    file.close();
  }
}

/** Puts the sound beginning of a journal in its place; the original stays beside it, under a name of its own. */
export async function cutJournal(root: string, run: string, end: Cursor, stamp: string): Promise<string> {
  const path = journalPath(root, run);
  const original = `journal.broken-${stamp}.jsonl`;
  const sound = (await readBytes(path)).subarray(0, end.end);
  try {
    linkSync(path, join(dirname(path), original));
  } catch (cause) {
    throw unwritable(path, cause);
  }
  replaceFile(path, sound);
  return original;
}
