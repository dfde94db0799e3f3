import { commandAt, type ExecutedCheck, sourceAt } from "../../engine/step-settings.ts";
import type { Standing } from "../../journal/run-journal.ts";
import type { Command } from "../../model/command.ts";
import type { StartedRun, Visit } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";
import { awaitGates } from "../../operation/pending-advances.ts";
import { thisRunner } from "../../platform/runner.ts";
import { changeRun } from "../runs/change-run.ts";
import { holdingLease, isRunnerGone } from "../runs/keep-leases.ts";
import { ownRootOf, visitOf } from "../runs/reply.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import type { Frozen } from "../workflows/parse-frozen.ts";
import { checkTrust, trustableRun } from "../workflows/trust.ts";
import { runStepCommand } from "./check-gates.ts";
import { nameTrustable } from "./check-visit.ts";
import { longestList, printedTasks, readTasks } from "./take-tasks.ts";
import { watchRun } from "./watch-run.ts";

/**
 * Carries out the commands that the run stands at, and gets the tasks of loops, one after the other, until an agent or a
 * person has to act. Only what an agent calls to go on comes here: nothing that only looks, no hook, and no decision of a
 * person.
 */
export async function carryOutCommands(deps: Deps, first: Standing): Promise<Outcome<Standing>> {
  const { caller, pendingAdvances } = deps;
  const began = process.uptime();
  let standing = first;
  for (;;) {
    const { run } = standing;
    const visit = visitOf(deps, standing);
    if (visit?.place.type !== "command" || run.status !== "running") return yes(standing);
    const { token, place } = visit;
    const whole = await caller.patience?.();
    const patienceMs = whole === undefined ? undefined : Math.max(0, whole - (process.uptime() - began) * 1_000);
    const start = (_isAwaited: () => boolean, signal: AbortSignal) =>
      carryOut({ ...deps, caller: { ...caller, signal } }, standing, visit);
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

/** Runs one command, or takes the tasks of a loop, if no other process does. */
async function carryOut(deps: Deps, standing: Standing, { token, place }: Visit): Promise<Outcome<null>> {
  const { run } = standing;
  const frozen = await readFrozen(deps, run);
  const source = sourceAt(frozen.template, place);
  const own = commandAt(frozen.template, run.variables, place);
  if (own !== null) return runCommand(deps, standing, frozen, { token, check: own.check, isSource: source !== null });
  if (source === null || "run" in source) return yes(null);
  const taken = await readTasks(deps, standing, source);
  return end(deps, standing, frozen, { type: "end-command", token, runner: thisRunner(), ...taken, cancelled: false });
}

interface OwnCommand {
  readonly token: string;
  readonly check: ExecutedCheck;
  /** It prints the tasks of a loop. */
  readonly isSource: boolean;
}

/** That it begins is on the disk before its process is started. */
async function runCommand(
  deps: Deps,
  standing: Standing,
  frozen: Frozen,
  { token, check, isSource }: OwnCommand,
): Promise<Outcome<null>> {
  const { run } = standing;
  const { template } = frozen;
  const trustable = trustableRun(run.workflow, template, run);
  const untrusted = await checkTrust(deps, trustable);
  if (untrusted !== null) return nameTrustable(deps, run, frozen, trustable, untrusted);
  const runner = thisRunner();
  const started = await changeRun(deps, standing, template, {
    command: async (current) => {
      const interrupted = await isInterrupted(deps, current, token);
      return { type: "start-command", token, runner, interrupted };
    },
    afterRefusal: ({ code }) => (code === "review-needed" ? [{ type: "open-review", token }] : []),
  });
  // A person decides about the spent budget, and the status says so.
  if (!started.ok) return started.refusal.code === "review-needed" ? yes(null) : started;
  const hasBegun = started.value.events.some(({ type }) => type === "command-started");
  if (!hasBegun) return yes(null);
  const context = { deps, run, cover: trustable.cover, projectRoot: ownRootOf(deps, standing) };
  const carryOn = () => runStepCommand(context, check, isSource ? longestList : 0);
  const { evidence, cancelled, printed } = await holdingLease(deps, run.runId, null, () =>
    watchRun(deps, run.runId, carryOn),
  );
  const result = isSource ? printedTasks(deps, evidence, printed) : { evidence };
  return end(deps, started.value.standing, frozen, { type: "end-command", token, runner, ...result, cancelled });
}

async function end(
  deps: Deps,
  standing: Standing,
  { template }: Frozen,
  command: Extract<Command, { type: "end-command" }>,
): Promise<Outcome<null>> {
  const { token } = command;
  const ended = await changeRun(deps, standing, template, {
    command,
    afterRefusal: ({ code }) => (code === "review-needed" ? [{ type: "open-review", token }] : []),
  });
  return ended.ok || settled.includes(ended.refusal.code) ? yes(null) : ended;
}

/** A person has moved, paused or ended the run meanwhile, or has to decide about its budget; the status says so. */
const settled: readonly string[] = ["step-stale", "run-ended", "template-changed", "run-paused", "review-needed"];

/** True when the process that began the command is gone, or when an earlier attempt of this one broke off. */
async function isInterrupted(deps: Deps, run: StartedRun, token: string): Promise<boolean> {
  const command = isLive(run) ? run.visits.find((visit) => visit.token === token)?.command : undefined;
  if (command === undefined) return false;
  return command.runner === thisRunner() || isRunnerGone(deps, run.runId, command, null);
}
