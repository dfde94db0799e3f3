import { join } from "node:path";
import type { Standing } from "../../journal/run-journal.ts";
import { awayText } from "../../model/time.ts";
import { type Deps, type Outcome, staleFacts, yes } from "../../operation/operation.ts";
import { stateFolder } from "../../platform/links.ts";
import { ageOfCopy } from "../../store/reach.ts";
import { withOtherRuns } from "../runs/choose-run.ts";
import { chooseMoment, type MomentOfRun, type RunAt } from "../runs/moment.ts";
import { type StatusReply, statusOf } from "../runs/reply.ts";

/** Read-only, unlike `next`: it does not hand out the agent's visit. */
export async function showStatus(deps: Deps, { run: named, at }: MomentOfRun): Promise<Outcome<StatusReply>> {
  const chosen = await chooseMoment(deps, named, at);
  return chosen.ok ? yes(await statusAt(chosen.value, named)) : chosen;
}

async function statusNow(deps: Deps, standing: Standing): Promise<StatusReply> {
  const status = await statusOf(deps, standing);
  const age = ageOfCopy(join(deps.roots.stateRoot, stateFolder), standing.run.runId);
  if (age === undefined) return { ...status, ...staleFacts(deps) };
  return { ...status, asOf: age.asOf, storeProblem: deps.away()?.problem.message ?? awayText(age.isSilent) };
}

export async function statusAt({ deps, standing, moment }: RunAt, named: string | undefined): Promise<StatusReply> {
  if (moment === undefined) return withOtherRuns(deps, named, await statusNow(deps, standing));
  return { ...(await statusOf(deps, standing, undefined, "then")), moment };
}
