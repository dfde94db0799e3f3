import { join } from "node:path";
import { HoldfastError, isHoldfastError } from "../../errors.ts";
import type { Looking, Survey } from "../../journal/run-index.ts";
import type { RunJournal, Standing } from "../../journal/run-journal.ts";
import type { Glance } from "../../journal/stored-runs.ts";
import { type Deps, refreshCopies } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/links.ts";
import { isRemovedCopy } from "../../store/journal-file.ts";

/** Looks at the runs here, after their copies were brought up to date. */
export async function survey(deps: Deps, looking: Omit<Looking, "load">): Promise<Survey> {
  deps.refuseLinks();
  const copies = await refreshCopies(deps, deps.index.names());
  const found = await deps.index.look({
    ...looking,
    load: (runId) => (copies.has(runId) ? loadCopy(deps, runId) : loadRun(deps, runId)),
  });
  return deps.leases.isShared() ? withoutRemoved(deps, found, copies) : found;
}

/** A run that was removed is not live, whatever the copy says that is left of it. */
async function withoutRemoved(deps: Deps, found: Survey, copies: ReadonlySet<string>): Promise<Survey> {
  const root = join(deps.roots.stateRoot, stateFolder, "runs");
  const isRemoved = ({ runId, endedAt }: Glance) =>
    endedAt === null && !copies.has(runId) && isRemovedCopy(root, runId);
  const damaged = [...found.damaged];
  for (const { runId } of found.glances.filter(isRemoved)) {
    try {
      await loadRun(deps, runId);
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      damaged.push({ runId, error });
    }
  }
  // One that came back is not marked any more.
  return { ...found, damaged, glances: found.glances.filter((glance) => !isRemoved(glance)) };
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
