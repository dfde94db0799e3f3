import { z } from "zod";
import { isLive } from "../model/run.ts";
import { changeRun } from "./change-run.ts";
import { chooseRun } from "./choose-run.ts";
import { readFrozen } from "./frozen-template.ts";
import { defineOperation, type Outcome } from "./operation.ts";
import { personOf } from "./person.ts";
import type { Reply } from "./reply.ts";
import { startRun } from "./start-run.ts";

export const resetRun = defineOperation({
  summary: "Abort a run and start its workflow anew, with the same summary and variables.",
  input: z.strictObject({ run: z.string().optional().describe("The run; by default the only live one here.") }),
  async run(deps, { run: named }): Promise<Outcome<Reply>> {
    const person = await personOf(deps, "resetting a run");
    if (!person.ok) return person;
    const chosen = await chooseRun(deps, named);
    if (!chosen.ok) return chosen;
    const { run } = chosen.value;
    const { template } = await readFrozen(deps, run);
    const { workflow, summary, variables } = run;
    // The new run comes first: when it cannot start, the old one is still there.
    const started = await startRun.run(deps, { workflow, summary: summary ?? undefined, variables, another: true });
    if (!started.ok || !isLive(run)) return started;
    const command = { type: "abort", by: person.value, reason: `reset to ${started.value.runId}` } as const;
    const aborted = await changeRun(deps, chosen.value, template, { command });
    return aborted.ok ? started : aborted;
  },
});
