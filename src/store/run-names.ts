import { isHoldfastError } from "../errors.ts";
import { isRunId } from "../model/run-id.ts";
import type { AppendFiles } from "../platform/append-file.ts";
import { namesInFolder } from "../platform/files.ts";
import { isUnchanged, type Stamp, stampOf } from "../platform/stamp.ts";
import { journalPath, openToRead } from "./journal-file.ts";
import type { ReadEvents } from "./journal-line.ts";
import { beginning, scan } from "./journal-scan.ts";

export interface RunNames {
  /** Every run with at least one commit, and every unreadable one, ordered by id. */
  list(): readonly string[];
  forget(): void;
}

/**
 * Lists the runs in a folder, with a cache: the folder is read again only if it has changed, and a journal that is
 * known to have a commit is not opened again.
 */
export function createRunNames(root: string, files: AppendFiles, readEvents: ReadEvents): RunNames {
  let seen: { readonly stamp: Stamp; readonly names: readonly string[] } | null = null;
  const begun = new Set<string>();

  function names(): readonly string[] {
    if (seen !== null && isUnchanged(seen.stamp)) return seen.names;
    // Take the stamp before reading, so that a change during the read is noticed next time.
    const stamp = stampOf(root);
    const found = namesInFolder(root)
      .filter((name) => isRunId(name))
      .sort();
    seen = stamp.settled ? { stamp, names: found } : null;
    const there = new Set(found);
    for (const name of begun) if (!there.has(name)) begun.delete(name);
    return found;
  }

  function isListed(name: string): boolean {
    if (begun.has(name)) return true;
    try {
      if (!hasCommit(files, root, name, readEvents)) return false;
      begun.add(name);
      return true;
    } catch (error) {
      // List unreadable runs, too: loading one tells why it cannot be read.
      if (isHoldfastError(error)) return true;
      throw error;
    }
  }

  return {
    list: () => names().filter(isListed),
    forget() {
      seen = null;
      begun.clear();
    },
  };
}

function hasCommit(files: AppendFiles, root: string, run: string, readEvents: ReadEvents): boolean {
  const file = openToRead(files, journalPath(root, run));
  if (file === null) return false;
  try {
    for (const scanned of scan({ run, file, readEvents }, beginning)) if (scanned.type === "commit") return true;
    return false;
  } finally {
    file.close();
  }
}
