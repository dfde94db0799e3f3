import * as z from "zod";
import type { RunStatus } from "../../model/run.ts";
import { defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { beginCount, countEvent, countedUntil, type StepReport } from "../digest/count-run.ts";
import { chooseRunOrLast } from "../runs/choose-run.ts";

export interface RunReport {
  readonly runId: string;
  readonly workflow: string;
  readonly summary: string | null;
  readonly status: RunStatus;
  readonly startedAt: string;
  readonly steps: readonly StepReport[];
  readonly total: Omit<StepReport, "step">;
  /** The agents that `holdfast run` has driven, with their versions. */
  readonly agents: readonly string[];
}

export const reportRun = defineOperation({
  summary: "What a run has taken: time, tokens, cost, attempts and gates of each step.",
  input: z.strictObject({ run: z.string().optional().describe("The run; by default the only live one here.") }),
  async run(deps, { run: named }): Promise<Outcome<RunReport>> {
    const chosen = await chooseRunOrLast(deps, named);
    if (!chosen.ok) return chosen;
    const { runId, workflow, summary, status, startedAt } = chosen.value.run;
    const count = beginCount();
    for await (const { events } of deps.store.read(runId)) for (const event of events) countEvent(count, event);
    return yes({ runId, workflow, summary, status, startedAt, ...countedUntil(count, deps.now()) });
  },
});
