import { linkSync } from "node:fs";
import { dirname, join } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { appendFiles } from "../platform/append-file.ts";
import { hasCode, replaceFile } from "../platform/files.ts";
import { journalPath } from "./file.ts";
import { openToRead, writing } from "./journal-file.ts";
import { beginning, scan } from "./journal-scan.ts";
import { linesFrom, startOfLine } from "./physical-lines.ts";

/** What a look at every line of a journal shows. */
export interface Inspection {
  readonly commits: number;
  readonly torn: number;
  readonly late: number;
  /** The first line that is not what was written, if there is one. */
  readonly damage: Damage | null;
}

export interface Damage {
  readonly line: number;
  readonly problem: string;
  /** How many lines are lost, this one among them. */
  readonly lost: number;
  /** How many bytes before it are sound, and of which file. */
  readonly sound: number;
  readonly identity: string;
}

export function inspectJournal(root: string, run: string): Inspection | null {
  const file = openToRead(appendFiles, journalPath(root, run));
  if (file === null) return null;
  let [commits, torn, late, seen] = [0, 0, 0, 0];
  let lastCommit = { end: 0, torn: 0 };
  try {
    for (const scanned of scan(run, file, beginning)) {
      seen = scanned.cursor.end;
      if (scanned.type === "commit") {
        commits += 1;
        lastCommit = { end: seen, torn };
      } else if (scanned.reason === "torn") torn += 1;
      else if (scanned.reason === "late") late += 1;
    }
    return { commits, torn: torn + (file.size() > seen ? 1 : 0), late, damage: null };
  } catch (error) {
    if (!isHoldfastError(error, "journal-corrupt")) throw error;
    const { line, problem } = error.data;
    // A commit may stand at the beginning of the damaged line.
    const sound = Math.max(lastCommit.end, startOfLine(file, line));
    const damage = { line, problem, lost: linesFrom(file, sound), sound, identity: file.identity };
    return { commits, torn: sound < seen ? lastCommit.torn : torn, late, damage };
  } finally {
    file.close();
  }
}

/**
 * Puts the sound beginning of a journal in its place; the original stays beside it, under a name of its own.
 * Null when it is not the file any more that was inspected: someone else has repaired it.
 */
export function cutJournal(root: string, run: string, { sound, identity }: Damage, stamp: string): string | null {
  const path = journalPath(root, run);
  const file = openToRead(appendFiles, path);
  if (file === null) return null;
  try {
    if (file.identity !== identity) return null;
    const kept = file.read(0, sound);
    const original = keepBeside(path, stamp);
    replaceFile(path, kept);
    return original;
  } finally {
    file.close();
  }
}

function keepBeside(path: string, stamp: string): string {
  for (let number = 1; ; number++) {
    const name = `journal.broken-${stamp}${number === 1 ? "" : `-${number}`}.jsonl`;
    try {
      writing(path, () => linkSync(path, join(dirname(path), name)));
      return name;
    } catch (error) {
      if (!(isHoldfastError(error, "file-unwritable") && hasCode(error.cause, "EEXIST"))) throw error;
    }
  }
}
