import type { Standing } from "../../journal/run-journal.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";
import { type Change, changeRun } from "../runs/change-run.ts";
import { readFrozen } from "../workflows/frozen-template.ts";

/** Records what the runner has decided, or has seen of its agent. */
export async function reportDriving(deps: Deps, runId: string, command: Change["command"]): Promise<Outcome<Standing>> {
  const standing = await deps.journal.load(runId);
  if (standing === null) return no({ code: "run-unknown", run: runId });
  const { template } = await readFrozen(deps, standing.run);
  const changed = await changeRun(deps, standing, template, { command });
  return changed.ok ? yes(changed.value.standing) : changed;
}
