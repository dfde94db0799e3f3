import { HoldfastError, isHoldfastError } from "../../errors.ts";
import type { Looking, Survey } from "../../journal/run-index.ts";
import type { RunJournal, Standing } from "../../journal/run-journal.ts";
import { type Deps, refreshCopies } from "../../operation/operation.ts";

/** Looks at the runs here, after their copies were brought up to date. */
export async function survey(deps: Deps, looking: Omit<Looking, "load">): Promise<Survey> {
  deps.refuseLinks();
  const copies = await refreshCopies(deps, deps.index.names());
  return deps.index.look({
    ...looking,
    load: (runId) => (copies.has(runId) ? loadCopy(deps, runId) : loadRun(deps, runId)),
  });
}

/** A copy that is up to date is read without a question to the shared store, which can heal a damaged one. */
async function loadCopy(deps: Deps, runId: string): Promise<Standing | null> {
  try {
    return await loadRun({ journal: deps.copies }, runId);
  } catch (error) {
    if (!isHoldfastError(error, "journal-corrupt")) throw error;
    return loadRun(deps, runId);
  }
}

/** Events are appended under the id in the journal, so a copied run folder must not be accepted under another name. */
export async function loadRun(
  deps: { readonly journal: Pick<RunJournal, "load"> },
  id: string,
): Promise<Standing | null> {
  const standing = await deps.journal.load(id);
  if (standing === null || standing.run.runId === id) return standing;
  throw new HoldfastError("state-broken", {
    file: id,
    problem: `its journal belongs to the run ${standing.run.runId}`,
  });
}
