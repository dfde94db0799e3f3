import { HoldfastError, isInterruption } from "../../errors.ts";
import { type Deps, refreshCopies } from "../../operation/operation.ts";
import { copyJournal } from "../../store/journal-copy.ts";
import { checkRun } from "./check-run.ts";
import { type RunCopy, runsFolder } from "./run-copy.ts";

/** The local run as it would be sent, with the same checks that the receiver makes; null if there is no such run. */
export async function readLocalCopy(deps: Deps, runId: string): Promise<RunCopy | null> {
  await refreshCopies(deps, [runId]);
  const away = deps.away();
  // Whoever gives up waiting for the shared store does not mean to send what is here.
  if (away !== null && isInterruption(away.problem)) throw away.problem;
  const copy = copyJournal(runsFolder(deps), runId);
  if (copy === null || copy.commits.length === 0) return null;
  const readTemplate = (name: string) => deps.files.read(runId, name);
  const checked = await checkRun({ runId, commits: copy.commits, readTemplate });
  if (!("problem" in checked)) return checked;
  const { commit, problem } = checked;
  const file = commit === null ? runId : `${runId}/journal.jsonl, commit ${commit}`;
  throw new HoldfastError("state-broken", { file, problem });
}
