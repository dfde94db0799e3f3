import { decide } from "../../engine/commands/decide.ts";
import { findTargetVisit } from "../../engine/commands/find-target-visit.ts";
import { findStep, stepSettings } from "../../engine/step-settings.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { AdvanceCommand } from "../../model/command.ts";
import type { Gate } from "../../model/gate.ts";
import type { StartedRun, Visit } from "../../model/run.ts";
import { isLive, waitsForApproval } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { type Deps, type No, no, type Outcome, yes } from "../../operation/operation.ts";
import { isRunnerAlive, thisRunner } from "../../platform/runner.ts";
import { changeRun } from "../runs/change-run.ts";
import { ownRootOf } from "../runs/reply.ts";
import { findWorkflow } from "../workflows/catalog.ts";
import type { Frozen } from "../workflows/frozen-template.ts";
import { checkTrust, type Untrusted } from "../workflows/trust.ts";
import { checkGates } from "./check-gates.ts";

/** Looks at the gates of the visit that is meant, once the engine would otherwise let it end. */
export async function checkVisit(
  deps: Deps,
  standing: Standing,
  frozen: Frozen,
  command: AdvanceCommand,
): Promise<Outcome<AdvanceCommand>> {
  const { template } = frozen;
  const { run } = standing;
  const target = isLive(run) && command.failed !== true ? findTargetVisit(run, command) : null;
  if (target?.ok !== true) return yes(command);
  const { gates, until } = checksOf(template, target.visit);
  if (gates.length + until.length === 0) return yes(command);
  if (!wouldEnd(deps, standing, template, target.visit, command)) return yes(command);
  const { token } = target.visit;
  const untrusted = await checkTrust(deps, run.workflow, template, run.templateHash);
  if (untrusted !== null) return nameTrustable(deps, run, frozen, untrusted);
  if ([...gates, ...until].some((check) => "run" in check)) {
    const started = await startGates(deps, standing, template, token);
    if (!started.ok) return started;
  }
  const context = { deps, run, projectRoot: ownRootOf(deps, standing) };
  const seen = await checkGates(context, gates);
  const held = seen.every((one) => one.held);
  return yes({ ...command, token, gates: seen, until: held ? await checkGates(context, until) : [] });
}

/** What has to hold before a visit may end, and what would end its rounds. */
export function checksOf(template: Template, { place }: Visit): Record<"gates" | "until", readonly Gate[]> {
  const step = findStep(template, place.step);
  const until = (step?.type === "ralph" && step.until) || [];
  return { gates: stepSettings(template, place)?.gates ?? [], until };
}

/** Says in the journal that the gates are being checked, and by whom, so that no other process starts them too. */
async function startGates(
  deps: Deps,
  standing: Standing,
  template: Template,
  token: string,
): Promise<Outcome<unknown>> {
  return changeRun(deps, standing, template, {
    command: (run) => ({ type: "start-gates", token, runner: thisRunner(), interrupted: isInterrupted(run, token) }),
  });
}

/** Whoever began to check this visit's gates is gone: another process that died, or an attempt of our own that broke off. */
function isInterrupted(run: StartedRun, token: string): boolean {
  const checking = isLive(run) ? run.visits.find((visit) => visit.token === token)?.checking : null;
  if (checking === null || checking === undefined) return false;
  return checking.runner === thisRunner() || !isRunnerAlive(checking.runner);
}

/** Trusting a workflow means its file as it is now; where the run's own template is another, the run is to be named. */
async function nameTrustable(deps: Deps, run: StartedRun, { from }: Frozen, untrusted: Untrusted): Promise<No> {
  const found = await findWorkflow(deps, from);
  const workflow = found.ok && found.value.hash === run.templateHash ? from : run.runId;
  return no({ ...untrusted.refusal, workflow });
}

/** Gates cost time: they are checked only when nothing else stands in the way. */
function wouldEnd(deps: Deps, { run }: Standing, template: Template, visit: Visit, command: AdvanceCommand): boolean {
  const { place } = visit;
  const held = (stepSettings(template, place)?.gates ?? []).map((_, gate) => ({ gate, held: true, what: "" }));
  const decision = decide(template, run, { ...command, gates: held }, deps.now());
  if (decision.ok) return decision.replayed === undefined;
  return decision.refusal.code === "approval-needed" && !waitsForApproval(visit);
}
