import { z } from "zod";
import { isLive } from "../model/run.ts";
import { changeRun } from "./change-run.ts";
import { chooseRun } from "./choose-run.ts";
import { readFrozen } from "./frozen-template.ts";
import { forgetSettled } from "./gatekeeper.ts";
import { defineOperation, type Outcome, yes } from "./operation.ts";
import { type Reply, replyTo, statusOf, visitOf } from "./reply.ts";

/** The agent's look: it hands out what is due, where `status` only shows it. */
export const takeNext = defineOperation({
  summary: "What to do now; hands out a context action that is due.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the one this call belongs to."),
    token: z.string().optional().describe("The visit's token, where several are open."),
  }),
  async run(deps, { run: named, token }): Promise<Outcome<Reply>> {
    const chosen = await chooseRun(deps, named);
    if (!chosen.ok) return chosen;
    const { run } = chosen.value;
    forgetSettled(deps.gatekeeper, run.runId);
    if (!isLive(run)) return yes(await statusOf(deps, chosen.value));
    const { template } = await readFrozen(deps, run);
    const { session } = deps.caller;
    const seen = token ?? visitOf(deps, chosen.value)?.token;
    const spent = await changeRun(deps, chosen.value, template, { command: { type: "open-review", token: seen } });
    const standing = spent.ok ? spent.value.standing : chosen.value;
    const taken = await changeRun(deps, standing, template, { command: { type: "hand-out", token, session } });
    return taken.ok ? yes(await replyTo(deps, taken.value.standing, taken.value.events)) : taken;
  },
});
