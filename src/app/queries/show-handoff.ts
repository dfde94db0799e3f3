import * as z from "zod";
import { buildHandoff } from "../../handoff/build.ts";
import { isLiveStanding } from "../../journal/run-journal.ts";
import { defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { gatherFacts } from "../continuity/handoff/gather-facts.ts";
import { createServerPorts } from "../continuity/ports/server-ports.ts";
import { chooseRun } from "../runs/choose-run.ts";

export interface HandoffReply {
  readonly runId: string;
  readonly handoff: string;
}

/** Larger than any host's limit: a caller who asks for the handoff gets all of it. */
const longest = 100_000;

export const showHandoff = defineOperation({
  summary: "The text that puts an agent back on its run.",
  input: z.strictObject({ run: z.string().optional().describe("The run; by default the only live one here.") }),
  async run(deps, { run: named }): Promise<Outcome<HandoffReply>> {
    const chosen = await chooseRun(deps, named);
    if (!chosen.ok) return chosen;
    const standing = chosen.value;
    const { runId } = standing.run;
    if (!isLiveStanding(standing)) return no({ code: "run-ended", status: standing.run.status, outputIgnored: false });
    const facts = await gatherFacts(await createServerPorts(deps), standing, {
      session: deps.caller.session ?? "",
      others: [],
    });
    const frame = { id: "asked", reason: "asked", limit: longest, unit: "characters", file: null } as const;
    return yes({ runId, handoff: buildHandoff(facts, frame) });
  },
});
