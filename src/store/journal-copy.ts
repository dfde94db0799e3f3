import { HoldfastError } from "../errors.ts";
import { type AppendFile, appendFiles } from "../platform/append-file.ts";
import { checkedEvents } from "./file-store.ts";
import { journalPath, openToRead } from "./journal-file.ts";
import { beginning, scan } from "./journal-scan.ts";
import { lineAt } from "./physical-lines.ts";
import type { Commit } from "./store.ts";

/** A commit with the very bytes of its line, without a line end. */
export interface CopiedCommit extends Commit {
  readonly line: Buffer;
}

/** A journal as it was read, and how to tell later that it is still the same. */
export interface JournalCopy {
  readonly identity: string;
  readonly size: number;
  readonly commits: readonly CopiedCommit[];
}

/** Every commit of a run's journal, each checked; null when there is no journal. */
export function copyJournal(root: string, run: string): JournalCopy | null {
  const file = openToRead(appendFiles, journalPath(root, run));
  if (file === null) return null;
  try {
    // Asked before it is read: what is appended meanwhile makes the file longer than this copy knows.
    const size = file.size();
    return { identity: file.identity, size, commits: commitsIn(run, file).commits };
  } finally {
    file.close();
  }
}

/** The commits of a journal from elsewhere. There no line was ever cut off or came late, so one that was is damage. */
export function checkJournal(run: string, bytes: Uint8Array): readonly CopiedCommit[] {
  const file = fileOf(bytes);
  const { commits, passedOver, end } = commitsIn(run, file);
  const odd = passedOver ?? (end < bytes.length ? end : null);
  if (odd === null) return commits;
  throw new HoldfastError("journal-corrupt", { run, line: lineAt(file, odd), problem: "it was cut off" });
}

/** Only the lines that count, each with its line end: the same bytes on every machine. */
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

/** Bytes in memory, for whoever reads a file that only grows. */
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
