import { lstatSync } from "node:fs";
import { join } from "node:path";
import { checkedRunId } from "../model/run-id.ts";
import { hasCode, namesInFolder } from "../platform/files.ts";
import { journalPath, trackedRuns } from "./journal-file.ts";

/** What a start writes before its first commit, and a copy before its first line. */
const early = /^(template-[^/]*\.json|copy\.json|journal\.jsonl|\.draft-.*)$/;

/**
 * Whether a folder is all that is left of a start that was killed before its first commit: it has no line of a journal, and
 * nothing was written since that time, in milliseconds.
 */
export function isLeftover(root: string, run: string, since: number): boolean {
  const folder = join(root, checkedRunId(run));
  try {
    const there = lstatSync(folder);
    if (!there.isDirectory() || there.mtimeMs > since) return false;
    const journal = lstatSync(journalPath(root, run), { throwIfNoEntry: false });
    if ((journal?.size ?? 0) > 0) return false;
    return namesInFolder(folder).every((name) => early.test(name)) && !trackedRuns(root)(run);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) return false;
    throw error;
  }
}
