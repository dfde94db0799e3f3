import * as z from "zod";
import { findTargetVisit } from "../../engine/commands/find-target-visit.ts";
import { fingerprint } from "../../engine/fingerprint.ts";
import type { Standing } from "../../journal/run-journal.ts";
import { NamedArtifacts } from "../../model/artifact.ts";
import type { AdvanceCommand, Command } from "../../model/command.ts";
import { Identifier, VariableValue } from "../../model/ids.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { Visit } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import { type Deps, defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { awaitGates, findPending, type PendingAdvance, stopStaleGates } from "../../operation/pending-advances.ts";
import { checksOf, checkVisit } from "../gates/check-visit.ts";
import { attachAfterMove, refuseMissing } from "../priming/attach-artifacts.ts";
import { portableCommand } from "../privacy/portable-command.ts";
import { changeRun } from "../runs/change-run.ts";
import { chooseRun, chooseRunOrEnded, lastHandedOutAt } from "../runs/choose-run.ts";
import { recallAdvance, replyAgain } from "../runs/replay.ts";
import { type Reply, replyTo } from "../runs/reply.ts";
import { type Frozen, readFrozen } from "../workflows/frozen-template.ts";
import { takeNext } from "./take-next.ts";

const longestOutput = 1_000_000;

export const advanceRun = defineOperation({
  summary: "End the current visit with its output; the gates are checked first.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the one this call belongs to."),
    output: z.string().max(longestOutput).default("").describe("What was done, in short."),
    outcome: z.string().optional().describe("One of the step's outcomes."),
    failed: z.boolean().optional().describe("The work failed, and the output says why."),
    token: z.string().optional().describe("The visit's token, from the status."),
    variables: z.record(Identifier, VariableValue).optional().describe("Variables to set."),
    artifacts: NamedArtifacts.optional().describe("Named artifacts to set: relative paths."),
  }),
  async run(deps, { run: named, ...payload }): Promise<Outcome<Reply>> {
    const { pendingAdvances, caller } = deps;
    // Every name stands here from the start: to add one to a copy takes V8 twenty times as long.
    const sent: AdvanceCommand = {
      type: "advance",
      token: undefined,
      undelivered: false,
      ...payload,
      session: caller.session,
    };
    const found = await ownPending(deps, named, sent);
    const chosen = await chooseRunOrEnded(deps, found?.run ?? named);
    if (!chosen.ok) return chosen;
    const { run } = chosen.value;
    stopStaleGates(pendingAdvances, run);
    const pending = found?.stop.signal.aborted ? undefined : found;
    const frozen = await readFrozen(deps, run);
    // An advance that comes again without a token means the visit that it meant before, also when that has ended.
    const command = pending === undefined ? sent : { ...sent, token: pending.token };
    const start = (isAwaited: () => boolean, signal = caller.signal) =>
      advance({ ...deps, caller: { ...caller, signal } }, chosen.value, frozen, command, isAwaited);
    // That the work failed needs no gates.
    const target = isLive(run) && command.failed !== true ? findTargetVisit(run, command) : null;
    const token = pending?.token ?? (target?.ok && hasChecks(frozen, target.visit) ? target.visit.token : undefined);
    // Where there is nothing to wait for, nobody's patience is needed.
    if (token === undefined) return start(() => caller.signal?.aborted !== true);
    const attempt = { run: run.runId, token, fingerprint: fingerprint(sent), at: deps.now(), start };
    const waiter = { patienceMs: await caller.patience?.(), signal: caller.signal };
    const kept = await awaitGates(pendingAdvances, waiter, attempt);
    if (kept.type === "running") return no({ code: "gate-running", token: kept.token, seconds: kept.seconds });
    // Who has cancelled reads nothing, so nothing is handed out to them either.
    const isTold = kept.delivered || !kept.result.ok || caller.signal?.aborted === true;
    return isTold ? kept.result : takeNext.run(deps, { run: run.runId });
  },
});

/**
 * The advance with the same words whose gates are still checked, or whose result was not told. It is not meant where
 * the session has been given a visit of another run since, and names neither.
 */
async function ownPending(
  deps: Deps,
  named: string | undefined,
  sent: AdvanceCommand,
): Promise<PendingAdvance | undefined> {
  const pending = findPending(deps.pendingAdvances, named, sent);
  if (pending === undefined || named !== undefined) return pending;
  const bound = await chooseRun(deps, undefined);
  if (!bound.ok || bound.value.run.runId === pending.run) return pending;
  return (await lastHandedOutAt(deps, bound.value.run.runId, sent.session)) > pending.at ? undefined : pending;
}

function hasChecks({ template }: Frozen, visit: Visit): boolean {
  const { gates, until } = checksOf(template, visit);
  return gates.length + until.length > 0;
}

async function advance(
  deps: Deps,
  standing: Standing,
  frozen: Frozen,
  given: AdvanceCommand,
  isAwaited: () => boolean,
): Promise<Outcome<Reply>> {
  // By what is kept of it an advance is known when it comes again.
  const sent = portableCommand(deps, standing.run, given);
  // That it cannot be done without what is missing may always be said.
  const target = isLive(standing.run) && sent.failed !== true ? findTargetVisit(standing.run, sent) : null;
  const missing = target?.ok ? await refuseMissing(deps, frozen.template, standing, target.visit) : null;
  if (missing !== null) return missing;
  const checked = await checkVisit(deps, standing, frozen, sent);
  if (!checked.ok) return checked;
  // What nobody would read is not handed out; it stays due for the next call.
  const isAwaitedNow = isAwaited();
  const changed = await changeRun(deps, standing, frozen.template, {
    command: { ...checked.value, undelivered: !isAwaitedNow },
    portable: true,
    handOut: isAwaitedNow,
    afterRefusal: (refusal) => recordOf(refusal, checked.value),
  });
  if (!changed.ok) {
    const answered = { token: sent.token, fingerprint: fingerprint(sent) };
    const earlier = await recallAdvance(deps, standing, changed.refusal, answered);
    return earlier === null ? changed : yes(earlier);
  }
  const { standing: next, events, replayed } = changed.value;
  if (replayed !== null) return yes(await replyAgain(deps, next, replayed.seq));
  const reply = await replyTo(deps, next, events);
  return yes(isAwaitedNow ? await attachAfterMove(deps, frozen.template, standing, changed.value, reply) : reply);
}

/** What a refusal leaves in the journal: what the gates showed, that a person was asked, that a budget is spent. */
function recordOf(refusal: Refusal, { token, session, gates = [] }: AdvanceCommand): Command[] {
  const evidence: Command[] = gates.length === 0 ? [] : [{ type: "report-gates", token, session, evidence: gates }];
  if (refusal.code === "approval-needed") return [...evidence, { type: "request-approval", token, session }];
  return refusal.code === "review-needed" ? [...evidence, { type: "open-review", token, session }] : evidence;
}
