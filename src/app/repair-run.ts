import { join } from "node:path";
import { z } from "zod";
import { isHoldfastError } from "../errors.ts";
import { RunId } from "../model/ids.ts";
import { stateFolder } from "../platform/roots.ts";
import { cutJournal, inspectJournal } from "../store/repair.ts";
import { type Deps, defineOperation, no, type Outcome, yes } from "./operation.ts";
import { createRunJournal, snapshotName } from "./run-journal.ts";

export interface Repaired {
  readonly runId: string;
  /** Whether anything had to be changed. */
  readonly repaired: boolean;
  readonly commits: number;
  readonly lost: number;
  readonly torn: number;
  readonly problem: string | null;
  /** Where the damaged journal is kept, beside the new one. */
  readonly original: string | null;
}

export const repairRun = defineOperation({
  summary: "Check a run's journal line by line, and save what can be saved of a damaged one.",
  input: z.strictObject({ run: z.string().describe("The run.") }),
  async run(deps, { run: runId }): Promise<Outcome<Repaired>> {
    const root = join(deps.roots.stateRoot, stateFolder, "runs");
    for (;;) {
      const inspection = RunId.safeParse(runId).success ? inspectJournal(root, runId) : null;
      if (inspection === null) return no({ code: "run-unknown", run: runId });
      const { commits, torn, damage } = inspection;
      if (damage === null)
        return yes({ runId, commits, torn, lost: 0, ...(await acceptIfRewound(deps, runId, commits)) });
      const { lost, line } = damage;
      const original = cutJournal(root, runId, damage, deps.now().replace(/[-:.]/g, ""));
      if (original === null) continue;
      await record(deps, runId, { kept: commits, lost, original });
      return yes({ runId, commits, torn, lost, repaired: true, problem: `line ${line}: ${damage.problem}`, original });
    }
  },
});

async function acceptIfRewound(deps: Deps, runId: string, commits: number) {
  if (!(await isRewound(deps, runId))) return { repaired: false, problem: null, original: null };
  await record(deps, runId, { kept: commits, lost: 0, original: "" });
  const problem = "the journal is older than what was known of it; it is taken as it is now";
  return { repaired: true, problem, original: null };
}

async function isRewound(deps: Deps, runId: string): Promise<boolean> {
  try {
    await deps.journal.load(runId);
    return false;
  } catch (error) {
    if (isHoldfastError(error, "journal-rewound")) return true;
    throw error;
  }
}

/** The repair itself becomes a part of the history. What was known of the old one does not count any more. */
async function record(
  deps: Deps,
  runId: string,
  what: { kept: number; lost: number; original: string },
): Promise<void> {
  const journal = createRunJournal(deps.store, { ...deps.files, read: async () => null });
  for (;;) {
    const standing = await journal.load(runId);
    if (standing === null) return deps.files.remove(runId, snapshotName);
    const seq = (await lastSeq(deps, runId)) + 1;
    try {
      await journal.append(runId, standing, [
        { type: "journal-repaired", seq, at: deps.now(), by: deps.user.name, ...what },
      ]);
      return;
    } catch (error) {
      if (!isHoldfastError(error, "version-conflict")) throw error;
    }
  }
}

/** A run that has ended counts no more events, but its journal may hold an earlier repair. */
async function lastSeq(deps: Deps, runId: string): Promise<number> {
  let last = 0;
  for await (const { events } of deps.store.read(runId)) last = events.at(-1)?.seq ?? last;
  return last;
}
