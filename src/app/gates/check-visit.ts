import { decide } from "../../engine/commands/decide.ts";
import { isClaimedElsewhere } from "../../journal/outputs.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { AdvanceCommand } from "../../model/command.ts";
import type { StartedRun, Visit } from "../../model/run.ts";
import { isApproval, isLive, waitsForApproval } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { type Deps, type No, no, type Outcome, yes } from "../../operation/operation.ts";
import { thisRunner } from "../../platform/runner.ts";
import { changeRun } from "../runs/change-run.ts";
import { holdingLease, isRunnerGone } from "../runs/keep-leases.ts";
import { rootOfVisit } from "../runs/reply.ts";
import type { Checks, ResolvedAdvance } from "../runs/resolve-advance.ts";
import { findWorkflow } from "../workflows/catalog.ts";
import type { Frozen } from "../workflows/parse-frozen.ts";
import {
  checkTrust,
  isSameTrust,
  type Trustable,
  trustableRun,
  trustableWorkflow,
  type Untrusted,
} from "../workflows/trust.ts";
import { checkGates } from "./check-gates.ts";
import { watchRun } from "./watch-run.ts";

/** Checks the gates of the visit that is about to end, unless something else already keeps it from ending. */
export async function checkVisit(
  deps: Deps,
  { standing, frozen, visit, checks }: ResolvedAdvance,
  command: AdvanceCommand,
): Promise<Outcome<AdvanceCommand>> {
  const { gates, until } = checks;
  if (visit === null) return yes(command);
  const elsewhere = refuseElsewhere(deps, visit, checks);
  if (elsewhere !== null) return elsewhere;
  const { template } = frozen;
  const { run } = standing;
  const { token } = visit;
  if (!wouldEnd(deps, standing, template, visit, checks, command)) return yes(command);
  const trustable = trustableRun(run.workflow, template, run);
  const untrusted = await checkTrust(deps, trustable);
  if (untrusted !== null) return nameTrustable(deps, run, frozen, trustable, untrusted);
  const context = {
    deps,
    run,
    cover: trustable.cover,
    projectRoot: rootOfVisit(deps, standing, visit),
    claim: visit.claim,
  };
  const check = async () => {
    const evidence = await checkGates(context, gates, command.output);
    const passed = evidence.every(({ held }) => held);
    return yes({ ...command, gates: evidence, until: passed ? await checkGates(context, until, command.output) : [] });
  };
  if (![...gates, ...until].some((each) => "run" in each)) return check();
  const started = await startGates(deps, standing, template, token);
  if (!started.ok) return started;
  return holdingLease(deps, run.runId, visitIn(run, token)?.claim, () => watchRun(deps, run.runId, check));
}

/** Gates look at the files of the worktree that the task was claimed in. Nobody can check them in another clone. */
function refuseElsewhere({ roots }: Deps, { claim, place }: Visit, { gates, until }: Checks): No | null {
  const isElsewhere = claim != null && place.type === "sub-step" && isClaimedElsewhere(roots, claim);
  if (!isElsewhere || [...gates, ...until].every(isApproval)) return null;
  return no({ code: "claim-held", task: place.task, by: claim.session, since: claim.since, elsewhere: true });
}

/** Records which process checks the gates, so that no other process starts them too. */
async function startGates(
  deps: Deps,
  standing: Standing,
  template: Template,
  token: string,
): Promise<Outcome<unknown>> {
  return changeRun(deps, standing, template, {
    command: async (run) => {
      const interrupted = await isInterrupted(deps, run, token);
      return { type: "start-gates", token, runner: thisRunner(), interrupted };
    },
  });
}

/** True when the process that began to check these gates died, or when an earlier attempt of our own broke off. */
async function isInterrupted(deps: Deps, run: StartedRun, token: string): Promise<boolean> {
  const { checking, claim } = visitIn(run, token) ?? {};
  if (checking === null || checking === undefined) return false;
  return checking.runner === thisRunner() || isRunnerGone(deps, run.runId, checking, claim);
}

function visitIn(run: StartedRun, token: string): Visit | undefined {
  return isLive(run) ? run.visits.find((visit) => visit.token === token) : undefined;
}

/** `holdfast trust <workflow>` trusts the file as it is now. When the run executes something else, name the run instead. */
export async function nameTrustable(
  deps: Deps,
  run: StartedRun,
  { from }: Frozen,
  trustable: Trustable,
  untrusted: Untrusted,
): Promise<No> {
  const found = await findWorkflow(deps, from);
  const isSame = found.ok && isSameTrust(deps, trustableWorkflow(from, found.value.template, {}), trustable);
  return no({ ...untrusted.refusal, workflow: isSame ? from : run.runId });
}

/** Gates cost time, so they run only when nothing else stands in the way. */
function wouldEnd(
  deps: Deps,
  { run }: Standing,
  template: Template,
  visit: Visit,
  { gates }: Checks,
  command: AdvanceCommand,
): boolean {
  const passed = gates.map((_, gate) => ({ gate, held: true, what: "" }));
  const decision = decide(template, run, { ...command, gates: passed }, deps.now());
  if (decision.ok) return decision.replayed === undefined;
  return decision.refusal.code === "approval-needed" && !waitsForApproval(visit);
}
