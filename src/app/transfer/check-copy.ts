import { isHoldfastError } from "../../errors.ts";
import { no, type Outcome, yes } from "../../operation/operation.ts";
import { type CopiedCommit, checkJournal } from "../../store/journal-copy.ts";
import { checkRun, type RunParts } from "./check-run.ts";
import type { RunCopy } from "./run-copy.ts";

/** What came from elsewhere under the name of a run, before anything of it is believed. */
export interface ReceivedFiles extends Pick<RunParts, "runId" | "readTemplate"> {
  /** What it is called when something is wrong with it. */
  readonly source: string;
  readonly journal: Uint8Array;
  /** How many lines stand before the journal where it came from. */
  readonly linesBefore: number;
}

/** Every line, event, hash and template; a newer format is thrown as such. */
export async function checkCopy(parcel: ReceivedFiles): Promise<Outcome<RunCopy>> {
  const commits = readCommits(parcel);
  if (!commits.ok) return commits;
  const checked = await checkRun({ ...parcel, commits: commits.value });
  if (!("problem" in checked)) return yes(checked);
  const { source, linesBefore } = parcel;
  const line = checked.commit === null ? null : linesBefore + checked.commit;
  return no({ code: "copy-damaged", source, line, problem: checked.problem });
}

function readCommits(parcel: ReceivedFiles): Outcome<readonly CopiedCommit[]> {
  try {
    return yes(checkJournal(parcel.runId, parcel.journal));
  } catch (error) {
    if (!isHoldfastError(error, "journal-corrupt")) throw error;
    const { line, problem } = error.data;
    return no({ code: "copy-damaged", source: parcel.source, line: parcel.linesBefore + line, problem });
  }
}
