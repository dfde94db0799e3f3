import { findStep, stepCommand } from "../../engine/step-settings.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";
import { awaitGates } from "../../operation/pending-advances.ts";
import { isRunnerAlive, thisRunner } from "../../platform/runner.ts";
import { changeRun } from "../runs/change-run.ts";
import { ownRootOf, visitOf } from "../runs/reply.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import { checkTrust, trustableRun } from "../workflows/trust.ts";
import { runStepCommand } from "./check-gates.ts";
import { nameTrustable } from "./check-visit.ts";
import { watchRun } from "./watch-run.ts";

/**
 * Carries out the commands that the run stands at, one after the other, until an agent or a person has to act. Only what an
 * agent calls to go on comes here: nothing that only looks, no hook, and no decision of a person.
 */
export async function carryOutCommands(deps: Deps, first: Standing): Promise<Outcome<Standing>> {
  const { caller, pendingAdvances } = deps;
  const deadline = caller.patience === undefined ? null : performance.now() + (await caller.patience());
  let standing = first;
  for (;;) {
    const { run } = standing;
    const visit = visitOf(deps, standing);
    if (visit?.place.type !== "command" || run.status !== "running") return yes(standing);
    const { token, place } = visit;
    const patienceMs = deadline === null ? undefined : Math.max(0, deadline - performance.now());
    const start = (_isAwaited: () => boolean, signal: AbortSignal) =>
      carryOut({ ...deps, caller: { ...caller, signal } }, standing, token);
    const attempt = { run: run.runId, token, fingerprint: `command ${token}`, at: deps.now(), start };
    const wait = await awaitGates(pendingAdvances, { patienceMs, signal: caller.signal }, attempt);
    if (wait.type === "running") return no({ code: "step-running", token, step: place.step, seconds: wait.seconds });
    if (!wait.result.ok) return wait.result;
    const next = await deps.journal.load(run.runId);
    if (next === null) return no({ code: "run-unknown", run: run.runId });
    // A cancelled caller reads no reply, and a command that was stopped with it is not started again for it.
    if (caller.signal?.aborted === true) return yes(next);
    standing = next;
  }
}

/** Runs one command, if no other process does. That it begins is on the disk before its process is started. */
async function carryOut(deps: Deps, standing: Standing, token: string): Promise<Outcome<null>> {
  const { run } = standing;
  const frozen = await readFrozen(deps, run);
  const { template } = frozen;
  const step = findStep(template, stepOf(run, token));
  if (step?.type !== "command") return yes(null);
  const trustable = trustableRun(run.workflow, template, run);
  const untrusted = await checkTrust(deps, trustable);
  if (untrusted !== null) return nameTrustable(deps, run, frozen, trustable, untrusted);
  const runner = thisRunner();
  const started = await changeRun(deps, standing, template, {
    command: (current) => ({ type: "start-command", token, runner, interrupted: isInterrupted(current, token) }),
    afterRefusal: ({ code }) => (code === "review-needed" ? [{ type: "open-review", token }] : []),
  });
  // A person decides about the spent budget, and the status says so.
  if (!started.ok) return started.refusal.code === "review-needed" ? yes(null) : started;
  const hasBegun = started.value.events.some(({ type }) => type === "command-started");
  if (!hasBegun) return yes(null);
  const check = stepCommand(template, run.variables, step);
  const context = { deps, run, cover: trustable.cover, projectRoot: ownRootOf(deps, standing) };
  const { evidence, cancelled } = await watchRun(deps, run.runId, () => runStepCommand(context, check));
  const ended = await changeRun(deps, started.value.standing, template, {
    command: { type: "end-command", token, runner, evidence, cancelled },
  });
  // A person may have moved or ended the run meanwhile, which stopped the command.
  const isMoved = !ended.ok && ["step-stale", "run-ended", "template-changed"].includes(ended.refusal.code);
  return ended.ok || isMoved ? yes(null) : ended;
}

function stepOf(run: StartedRun, token: string): string {
  return (isLive(run) ? run.visits.find((visit) => visit.token === token)?.place.step : undefined) ?? "";
}

/** True when the process that began the command is gone, or when an earlier attempt of this one broke off. */
function isInterrupted(run: StartedRun, token: string): boolean {
  const command = isLive(run) ? run.visits.find((visit) => visit.token === token)?.command : undefined;
  return command !== undefined && (command.runner === thisRunner() || !isRunnerAlive(command.runner));
}
