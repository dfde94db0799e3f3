import { isHoldfastError } from "../../errors.ts";
import { no, type Outcome, yes } from "../../operation/operation.ts";
import { checkJournal } from "../../store/journal-copy.ts";
import type { CopiedCommit } from "../../store/store.ts";
import { checkRun, type RunParts } from "./check-run.ts";
import type { RunCopy } from "./run-copy.ts";

/** The files of a run from elsewhere, before they are checked. */
export interface ReceivedFiles extends Pick<RunParts, "runId" | "readTemplate"> {
  /** Names the source in refusals. */
  readonly source: string;
  readonly journal: Uint8Array;
  /** How many lines come before the journal in the source. */
  readonly linesBefore: number;
}

/** Checks every line, event, hash and template. Throws `format-newer` for a newer format. */
export async function checkCopy(received: ReceivedFiles): Promise<Outcome<RunCopy>> {
  const commits = readCommits(received);
  if (!commits.ok) return commits;
  const checked = await checkRun({ ...received, commits: commits.value });
  if (!("problem" in checked)) return yes(checked);
  const { source, linesBefore } = received;
  const line = checked.commit === null ? null : linesBefore + checked.commit;
  return no({ code: "copy-damaged", source, line, problem: checked.problem });
}

function readCommits(received: ReceivedFiles): Outcome<readonly CopiedCommit[]> {
  try {
    return yes(checkJournal(received.runId, received.journal));
  } catch (error) {
    if (!isHoldfastError(error, "journal-corrupt")) throw error;
    const { line, problem } = error.data;
    return no({ code: "copy-damaged", source: received.source, line: received.linesBefore + line, problem });
  }
}
