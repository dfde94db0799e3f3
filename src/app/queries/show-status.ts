import * as z from "zod";
import { defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { type StatusReply, statusOf } from "../runs/reply.ts";

/** A person's look: it takes nothing away from the agent. */
export const showStatus = defineOperation({
  summary: "Where a run stands. Looking changes nothing.",
  input: z.strictObject({ run: z.string().optional().describe("The run; by default the only live one here.") }),
  async run(deps, { run: named }): Promise<Outcome<StatusReply>> {
    const chosen = await chooseRun(deps, named);
    return chosen.ok ? yes(await statusOf(deps, chosen.value)) : chosen;
  },
});
