import { HoldfastError } from "../errors.ts";
import { type AppendFile, appendFiles } from "../platform/append-file.ts";
import { checkedEvents } from "./file-store.ts";
import { journalPath, openToRead } from "./journal-file.ts";
import { beginning, lineAt, scan } from "./journal-scan.ts";
import type { CopiedCommit } from "./store.ts";

/** A copy of a journal, and how to tell later that the file is unchanged. */
export interface JournalCopy {
  readonly identity: string;
  readonly size: number;
  readonly commits: readonly CopiedCommit[];
}

/** Every commit of a run's journal, checked; null if there is no journal. */
export function copyJournal(root: string, run: string): JournalCopy | null {
  const file = openToRead(appendFiles, journalPath(root, run));
  if (file === null) return null;
  try {
    // Take the size before reading, so that an append during the read is noticed later.
    const size = file.size();
    return { identity: file.identity, size, commits: commitsIn(run, file).commits };
  } finally {
    file.close();
  }
}

/**
 * The commits of a journal from another machine. Transferred journals have no partial or late lines, so those are
 * damage.
 */
export function checkJournal(run: string, bytes: Uint8Array): readonly CopiedCommit[] {
  const file = fileOf(bytes);
  const { commits, passedOver, end } = commitsIn(run, file);
  const odd = passedOver ?? (end < bytes.length ? end : null);
  if (odd === null) return commits;
  throw new HoldfastError("journal-corrupt", { run, line: lineAt(file, odd), problem: "it was cut off" });
}

/** Only the lines of commits, each with a newline: the same bytes on every machine. */
export function plainJournal(commits: readonly CopiedCommit[]): Buffer {
  return Buffer.concat(commits.flatMap(({ line }) => [line, lineEnd]));
}

const lineEnd = Buffer.from("\n");

function commitsIn(run: string, file: AppendFile) {
  const commits: CopiedCommit[] = [];
  let passedOver: number | null = null;
  let end = 0;
  for (const scanned of scan({ run, file, readEvents: checkedEvents }, beginning)) {
    if (scanned.type === "commit") {
      const { place } = scanned.commit;
      const bytes = Buffer.from(file.read(place, scanned.cursor.end - place));
      commits.push({ ...scanned.commit, line: bytes.subarray(0, bytes.lastIndexOf("}") + 1) });
    } else passedOver ??= end;
    end = scanned.cursor.end;
  }
  return { commits, passedOver, end };
}

/** Presents bytes in memory as a read-only AppendFile. */
function fileOf(bytes: Uint8Array): AppendFile {
  const unwritable = () => {
    throw new Error("bytes in memory are not written to");
  };
  return {
    identity: "memory",
    size: () => bytes.length,
    read: (position, length) => bytes.subarray(position, position + length),
    sizeInPlace: () => bytes.length,
    write: unwritable,
    flush: unwritable,
    close: () => {},
  };
}
