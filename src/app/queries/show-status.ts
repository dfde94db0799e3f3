import * as z from "zod";
import { defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { chooseRunOrLast, withOtherRuns } from "../runs/choose-run.ts";
import { type StatusReply, statusOf } from "../runs/reply.ts";

/** Read-only, unlike `next`: it does not hand out the agent's visit. */
export const showStatus = defineOperation({
  summary: "The status of a run. Read-only.",
  input: z.strictObject({ run: z.string().optional().describe("The run; by default the only live one here.") }),
  async run(deps, { run: named }): Promise<Outcome<StatusReply>> {
    const chosen = await chooseRunOrLast(deps, named);
    return chosen.ok ? yes(await withOtherRuns(deps, named, await statusOf(deps, chosen.value))) : chosen;
  },
});
