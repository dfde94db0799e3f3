import * as z from "zod";
import { requestOf } from "../../journal/outputs.ts";
import type { Standing } from "../../journal/run-journal.ts";
import { isLive } from "../../model/run-state.ts";
import { type Deps, defineOperation, type Outcome } from "../../operation/operation.ts";
import { changeRun } from "../runs/change-run.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { ownRootOf } from "../runs/reply.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { personOf } from "../workflows/person.ts";
import { type StartReply, startWorkflow } from "./start-run.ts";

export const resetRun = defineOperation({
  summary: "Abort a run and start its workflow again, with the same request and variables.",
  input: z.strictObject({ run: z.string().optional().describe("The run; by default the only live one here.") }),
  async run(deps, { run: named }): Promise<Outcome<StartReply>> {
    const person = await personOf(deps, "resetting a run");
    if (!person.ok) return person;
    const chosen = await chooseRun(deps, named);
    if (!chosen.ok) return chosen;
    const { run } = chosen.value;
    const { template, from } = await readFrozen(deps, run);
    const { summary, variables } = run;
    const request = await requestOf(deps, run.runId);
    // Start the new run first: if it cannot start, the old one is still live.
    const replaces = run.runId;
    const input = { workflow: from, request, summary: summary ?? undefined, variables, another: true, replaces };
    const started = await startWorkflow(inWorktreeOf(deps, chosen.value), input);
    if (!started.ok || !isLive(run)) return started;
    const command = { type: "abort", ...person.value, reason: `reset to ${started.value.runId}` } as const;
    const aborted = await changeRun(deps, chosen.value, template, { command });
    return aborted.ok || aborted.refusal.code === "run-ended" ? started : aborted;
  },
});

/** The new run uses the old one's worktree if that still exists, wherever this is called. */
function inWorktreeOf(deps: Deps, standing: Standing): Deps {
  const projectRoot = ownRootOf(deps, standing);
  if (projectRoot === null) return deps;
  return { ...deps, roots: { ...deps.roots, projectRoot, worktree: standing.run.worktree } };
}
