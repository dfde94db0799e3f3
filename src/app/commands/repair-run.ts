import { join } from "node:path";
import * as z from "zod";
import { isHoldfastError } from "../../errors.ts";
import { createCheckedJournal } from "../../journal/checked-journal.ts";
import { snapshotName } from "../../journal/snapshot-keeper.ts";
import type { EventOf } from "../../model/event.ts";
import { RunId } from "../../model/ids.ts";
import { type Deps, defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/roots.ts";
import { cutJournal, inspectJournal } from "../../store/repair.ts";

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
      const { commits, torn, damage, last } = inspection;
      const seq = (last?.seq ?? 0) + 1;
      if (damage === null) {
        return yes({ runId, commits, torn, lost: 0, ...(await acceptIfRewound(deps, runId, { kept: commits, seq })) });
      }
      const { lost, line } = damage;
      const original = cutJournal(root, runId, damage, {
        stamp: deps.now().replace(/[-:.]/g, ""),
        record: (name) => [repaired(deps, { seq, kept: commits, lost, original: name })],
      });
      if (original === null) continue;
      if (commits === 0) await deps.files.remove(runId, snapshotName);
      // The snapshot may tell of what is lost, even of an end that never was; loading the run puts that right.
      else await deps.journal.load(runId);
      return yes({ runId, commits, torn, lost, repaired: true, problem: `line ${line}: ${damage.problem}`, original });
    }
  },
});

type Repair = Pick<EventOf<"journal-repaired">, "seq" | "kept" | "lost" | "original">;

/** The repair itself becomes a part of the history. */
function repaired({ now, user }: Deps, repair: Repair): EventOf<"journal-repaired"> {
  return { type: "journal-repaired", at: now(), by: user.name, ...repair };
}

async function acceptIfRewound(deps: Deps, runId: string, { kept, seq }: Pick<Repair, "kept" | "seq">) {
  if (!(await isRewound(deps, runId))) return { repaired: false, problem: null, original: null };
  // What was known of the newer journal does not count any more.
  const journal = createCheckedJournal(deps.store, { ...deps.files, read: async () => null });
  const standing = await journal.load(runId);
  if (standing === null) await deps.files.remove(runId, snapshotName);
  else await journal.append(runId, standing, [repaired(deps, { seq, kept, lost: 0, original: "" })]);
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
