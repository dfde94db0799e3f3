import { linkSync } from "node:fs";
import { dirname, join } from "node:path";
import { isHoldfastError } from "../errors.ts";
import type { RunEvent } from "../model/event.ts";
import { type AppendFile, appendFiles } from "../platform/append-file.ts";
import { hasCode, replaceFile } from "../platform/files.ts";
import { checkedEvents } from "./file-store.ts";
import { journalPath, openToRead, refuseCopy, writing } from "./journal-file.ts";
import { writeLine } from "./journal-line.ts";
import { beginning, type Cursor, linesFrom, scan, startOfLine } from "./journal-scan.ts";

/** The result of checking every line of a journal. */
export interface Inspection {
  readonly commits: number;
  readonly torn: number;
  /** The last valid event. */
  readonly last: RunEvent | undefined;
  /** The first damaged line, if there is one. */
  readonly damage: Damage | null;
}

export interface Damage {
  readonly line: number;
  readonly problem: string;
  /** How many lines are lost, including this one. */
  readonly lost: number;
  /** How many bytes before it are valid, up to which commit, and in which file. */
  readonly sound: number;
  readonly commit: { readonly version: number; readonly hash: string };
  readonly identity: string;
}

export function inspectJournal(root: string, run: string): Inspection | null {
  const file = openToRead(appendFiles, journalPath(root, run));
  if (file === null) return null;
  let [commits, torn, seen] = [0, 0, 0];
  let last: RunEvent | undefined;
  let sound = { cursor: beginning, torn };
  try {
    for (const scanned of scan({ run, file, readEvents: checkedEvents }, beginning)) {
      seen = scanned.cursor.end;
      if (scanned.type === "commit") {
        commits += 1;
        last = scanned.commit.events.at(-1) ?? last;
        sound = { cursor: scanned.cursor, torn };
      } else if (scanned.reason === "torn") torn += 1;
    }
    return { commits, torn: torn + (file.size() > seen ? 1 : 0), last, damage: null };
  } catch (error) {
    if (!isHoldfastError(error, "journal-corrupt")) throw error;
    const damage = damageOf(file, error.data, sound.cursor);
    return { commits, torn: damage.sound < seen ? sound.torn : torn, last, damage };
  } finally {
    file.close();
  }
}

function damageOf(file: AppendFile, { line, problem }: { line: number; problem: string }, commit: Cursor): Damage {
  // The damaged line may begin with a valid commit.
  const sound = Math.max(commit.end, startOfLine(file, line));
  return { line, problem, lost: linesFrom(file, sound), sound, commit, identity: file.identity };
}

/**
 * Replaces a journal with its valid beginning plus a commit that records the repair; the original is kept under another
 * name. Null if the file is no longer the one that was inspected, because someone else has repaired it.
 */
export function cutJournal(
  root: string,
  run: string,
  damage: Damage,
  { stamp, record }: { readonly stamp: string; record(original: string): readonly RunEvent[] },
): string | null {
  refuseCopy(root, run);
  const path = journalPath(root, run);
  const file = openToRead(appendFiles, path);
  if (file === null) return null;
  try {
    if (file.identity !== damage.identity) return null;
    const sound = file.read(0, damage.sound);
    const original = keepBeside(path, stamp);
    replaceFile(path, Buffer.concat([sound, lineBehind(sound, damage, record(original))]));
    return original;
  } finally {
    file.close();
  }
}

/** The new last line; none if no valid commit is left before it. */
function lineBehind(sound: Uint8Array, { commit }: Damage, events: readonly RunEvent[]): Buffer {
  if (commit.version === 0) return Buffer.alloc(0);
  const line = writeLine({ version: commit.version + 1, prev: commit.hash, writer: "repair", events }).bytes;
  return sound.at(-1) === newline ? line : Buffer.concat([Buffer.of(newline), line]);
}

const newline = 0x0a;

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
