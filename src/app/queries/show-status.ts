import { join } from "node:path";
import * as z from "zod";
import type { Standing } from "../../journal/run-journal.ts";
import { awayText } from "../../model/time.ts";
import { type Deps, defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/links.ts";
import { ageOfCopy } from "../../store/reach.ts";
import { withOtherRuns } from "../runs/choose-run.ts";
import { chooseMoment, momentInput, type RunAt } from "../runs/moment.ts";
import { type StatusReply, statusOf } from "../runs/reply.ts";

/** Read-only, unlike `next`: it does not hand out the agent's visit. */
export const showStatus = defineOperation({
  summary: "The status of a run, now or at a moment of its past. Read-only.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the only live one here."),
    at: momentInput,
  }),
  async run(deps, { run: named, at }): Promise<Outcome<StatusReply>> {
    const chosen = await chooseMoment(deps, named, at);
    return chosen.ok ? yes(await statusAt(chosen.value, named)) : chosen;
  },
});

async function statusNow(deps: Deps, standing: Standing): Promise<StatusReply> {
  const status = await statusOf(deps, standing);
  const age = ageOfCopy(join(deps.roots.stateRoot, stateFolder), standing.run.runId);
  if (age === undefined) return status;
  return { ...status, asOf: age.asOf, storeProblem: deps.away()?.problem.message ?? awayText(age.isSilent) };
}

export async function statusAt({ deps, standing, moment }: RunAt, named: string | undefined): Promise<StatusReply> {
  if (moment === undefined) return withOtherRuns(deps, named, await statusNow(deps, standing));
  return { ...(await statusOf(deps, standing, undefined, "then")), moment };
}
