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
    const inspection = RunId.safeParse(runId).success ? inspectJournal(root, runId) : null;
    if (inspection === null) return no({ code: "run-unknown", run: runId });
    const { commits, torn, damage, end } = inspection;
    const report = { runId, commits, torn, lost: damage?.lost ?? 0 };
    if (damage === null) {
      const rewound = await isRewound(deps, runId);
      if (rewound) await record(deps, runId, { kept: commits, lost: 0, original: "" });
      const problem = rewound ? "the journal is older than what was known of it; it is taken as it is now" : null;
      return yes({ ...report, repaired: rewound, problem, original: null });
    }
    const stamp = deps.now().replace(/[-:.]/g, "");
    const original = await cutJournal(root, runId, end, stamp);
    if (commits > 0) await record(deps, runId, { kept: commits, lost: damage.lost, original });
    return yes({ ...report, repaired: true, problem: `line ${damage.line}: ${damage.problem}`, original });
  },
});

async function isRewound(deps: Deps, runId: string): Promise<boolean> {
  try {
    await deps.journal.load(runId);
    return false;
  } catch (error) {
    if (isHoldfastError(error, "journal-rewound")) return true;
    throw error;
  }
}

/** The repair itself becomes a part of the history. What was known of the old one is forgotten first. */
async function record(
  deps: Deps,
  runId: string,
  what: { kept: number; lost: number; original: string },
): Promise<void> {
  await deps.files.remove(runId, snapshotName);
  const journal = createRunJournal(deps.store, deps.files);
  const standing = await journal.load(runId);
  if (standing === null) return;
  const event = {
    type: "journal-repaired",
    seq: standing.run.seq + 1,
    at: deps.now(),
    by: deps.user.name,
    ...what,
  } as const;
  await journal.append(runId, standing, [event]);
}
