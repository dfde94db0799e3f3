import { join } from "node:path";
import * as z from "zod";
import { isHoldfastError } from "../../errors.ts";
import { createCheckedJournal } from "../../journal/checked-journal.ts";
import { forgetEnd, snapshotName } from "../../journal/snapshot.ts";
import type { EventOf } from "../../model/event.ts";
import { type Deps, defineOperation, type Outcome, sharedStore, yes } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/links.ts";
import { isCopy } from "../../store/journal-file.ts";
import { cutJournal, inspectJournal } from "../../store/repair.ts";
import { findRunId, unknownRun } from "../runs/choose-run.ts";

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
  summary: "Check a run's journal line by line, and recover what is intact if it is damaged.",
  input: z.strictObject({ run: z.string().describe("The run.") }),
  async run(deps, { run: named }): Promise<Outcome<Repaired>> {
    const found = await findRunId(deps, named);
    if (!found.ok) return found;
    const runId = found.value;
    const root = join(deps.roots.stateRoot, stateFolder, "runs");
    if (isCopy(root, runId)) return repairCopy(deps, root, runId);
    for (;;) {
      const inspection = inspectJournal(root, runId);
      if (inspection === null) return repairCopy(deps, root, runId);
      const { commits, torn, damage, last } = inspection;
      const seq = (last?.seq ?? 0) + 1;
      if (damage === null) {
        return yes({ runId, commits, torn, ...(await acceptIfRewound(deps, runId, { kept: commits, seq })) });
      }
      const { lost, line } = damage;
      // What is lost may include the end of the run.
      forgetEnd(deps.files, runId);
      const original = cutJournal(root, runId, damage, {
        stamp: deps.now().replace(/[-:.]/g, ""),
        record: (name) => [repaired(deps, { seq, kept: commits, lost, original: name })],
      });
      if (original === null) continue;
      if (commits === 0) deps.files.remove(runId, snapshotName);
      // The snapshot may contain what is now lost; loading the run renews it.
      else await deps.journal.load(runId);
      return yes({ runId, commits, torn, lost, repaired: true, problem: `line ${line}: ${damage.problem}`, original });
    }
  },
});

/** A copy has nothing of its own to recover: reading it fetches it, again if it is damaged. */
async function repairCopy(deps: Deps, root: string, runId: string): Promise<Outcome<Repaired>> {
  await sharedStore(deps);
  const { damage = null, torn = 0 } = inspectJournal(root, runId) ?? {};
  let commits = 0;
  for await (const _commit of deps.store.read(runId)) commits += 1;
  if (commits === 0 && damage === null) return unknownRun(deps, runId);
  await deps.journal.load(runId);
  const problem = damage === null ? null : `line ${damage.line}: ${damage.problem}; it was fetched again`;
  return yes({ runId, commits, torn, lost: 0, repaired: damage !== null, problem, original: null });
}

type Repair = Pick<EventOf<"journal-repaired">, "seq" | "kept" | "lost" | "original">;

/** The repair is recorded in the journal too. */
function repaired({ now, user }: Deps, repair: Repair): EventOf<"journal-repaired"> {
  return { type: "journal-repaired", at: now(), by: user.name, ...repair };
}

async function acceptIfRewound(deps: Deps, runId: string, { kept, seq }: Pick<Repair, "kept" | "seq">) {
  const lost = await lostBehind(deps, runId);
  if (lost === null) return { repaired: false, lost: 0, problem: null, original: null };
  // Ignore the snapshot of the newer journal.
  const journal = createCheckedJournal(deps.store, { ...deps.files, read: async () => null });
  const standing = await journal.load(runId);
  forgetEnd(deps.files, runId);
  if (standing === null) deps.files.remove(runId, snapshotName);
  else await journal.append(runId, standing, [repaired(deps, { seq, kept, lost, original: "" })]);
  const problem = "the journal is older than its snapshot; the journal was accepted as it is";
  return {
    repaired: true,
    lost,
    problem: standing === null ? `${problem}, and nothing of the run is in it` : problem,
    original: null,
  };
}

/**
 * By how many commits the journal is shorter than the one that its snapshot knows: none if the older one has gone on since. Null if it
 * is not older.
 */
async function lostBehind(deps: Deps, runId: string): Promise<number | null> {
  try {
    await deps.journal.load(runId);
    return null;
  } catch (error) {
    if (isHoldfastError(error, "journal-rewound")) return Math.max(0, error.data.known - error.data.found);
    throw error;
  }
}
