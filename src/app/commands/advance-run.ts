import * as z from "zod";
import { fingerprint } from "../../engine/fingerprint.ts";
import { openTasksOf } from "../../engine/view/open-tasks.ts";
import { runProjectRoot } from "../../journal/outputs.ts";
import type { AdvanceCommand, Command } from "../../model/command.ts";
import { Identifier, SentArtifacts, VariableValue } from "../../model/ids.ts";
import { isAbsolutePath, isRelativePath } from "../../model/path-text.ts";
import { fillProjectRoot } from "../../model/placeholder.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { StartedRun } from "../../model/run.ts";
import { type Deps, defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { awaitGates, findPending, type PendingAdvance, stopStaleGates } from "../../operation/pending-advances.ts";
import { pathInside } from "../../platform/path-inside.ts";
import { briefCaller } from "../briefing/brief-caller.ts";
import { submitResult } from "../driving/driven-reply.ts";
import { checkVisit } from "../gates/check-visit.ts";
import { attachAfterMove, refuseMissing } from "../priming/attach-artifacts.ts";
import { portableCommand } from "../privacy/portable-text.ts";
import { changeRun } from "../runs/change-run.ts";
import { chooseRun, chooseRunOrEnded, findRunId, lastHandedOutAt } from "../runs/choose-run.ts";
import { countUsage } from "../runs/count-usage.ts";
import { focusAfter, focusOn } from "../runs/focus.ts";
import { recallAdvance, replyAgain } from "../runs/replay.ts";
import { type Reply, replyTo, visitOf } from "../runs/reply.ts";
import { type ResolvedAdvance, resolveAdvance } from "../runs/resolve-advance.ts";
import { replyPastCommands, takeNextVisit } from "./take-next.ts";

const longestOutput = 1_000_000;

const AdvanceInput = z
  .strictObject({
    run: z.string().optional().describe("The run; by default the one this call belongs to."),
    output: z.string().max(longestOutput).default("").describe("What was done, in short."),
    outcome: z.string().optional().describe("One of the step's outcomes."),
    failed: z.boolean().optional().describe("The work failed, and the output says why."),
    token: z.string().optional().describe("The visit's token, from the status."),
    variables: z.record(Identifier, VariableValue).optional().describe("Variables to set."),
    artifacts: SentArtifacts.optional().describe("Named artifacts to set: paths inside the project."),
  })
  .refine(({ failed, output }) => failed !== true || output.trim() !== "", {
    path: ["output"],
    message: "must say why the work failed",
  });
type AdvanceInput = z.infer<typeof AdvanceInput>;

export const advanceRun = defineOperation({
  summary: "End the current visit with its output; the gates are checked first.",
  input: AdvanceInput,
  async run(deps, input): Promise<Outcome<Reply>> {
    const began = process.uptime();
    const reply = await advanceOnce(deps, input);
    const isCommand = reply.ok && "stepType" in reply.value && reply.value.stepType === "command";
    return isCommand ? replyPastCommands(deps, reply, began) : reply;
  },
});

async function advanceOnce(deps: Deps, { run: given, ...payload }: AdvanceInput): Promise<Outcome<Reply>> {
  const { pendingAdvances, caller } = deps;
  const meantRun = given === undefined ? null : await findRunId(deps, given);
  if (meantRun?.ok === false) return meantRun;
  const named = meantRun?.value;
  // Declare every property up front: adding one to a spread copy is about 20 times slower (ADR 0016).
  const sent: AdvanceCommand = {
    type: "advance",
    token: undefined,
    undelivered: false,
    ...payload,
    session: caller.session,
  };
  const found = await findOwnPending(deps, named, sent);
  const chosen = await chooseRunOrEnded(deps, found?.run ?? named);
  if (!chosen.ok) return chosen;
  const standing = await countUsage(deps, chosen.value);
  const { run } = standing;
  const where = () => visitOf(focusOn(deps, sent.token), standing)?.claim ?? run;
  const artifacts = payload.artifacts && relativeArtifacts(runProjectRoot(deps.roots, where()), payload.artifacts);
  if (artifacts?.ok === false) return artifacts;
  stopStaleGates(pendingAdvances, run.runId, run);
  const pending = found?.stop.signal.aborted ? undefined : found;
  // The same advance without a token means the visit it meant the first time, even if that has ended since.
  const meant = pending === undefined ? sent : { ...sent, token: pending.token };
  const command = portableCommand(deps, run, artifacts ? { ...meant, artifacts: artifacts.value } : meant);
  const resolved = await resolveAdvance(deps, standing, command);
  if (caller.isDriven === true) return submitResult(deps, resolved, command);
  return awaitAdvance(deps, resolved, command, { sent, pending });
}

interface Sent {
  readonly sent: AdvanceCommand;
  /** The same advance, if it was sent before. */
  readonly pending: PendingAdvance | undefined;
}

/** Waits for the gates, for as long as the caller does. */
async function awaitAdvance(
  deps: Deps,
  resolved: ResolvedAdvance,
  command: AdvanceCommand,
  { sent, pending }: Sent,
): Promise<Outcome<Reply>> {
  const { pendingAdvances, caller } = deps;
  const { run } = resolved.standing;
  const start = (isAwaited: () => boolean, signal = caller.signal) =>
    advance({ ...deps, caller: { ...caller, signal } }, resolved, command, isAwaited);
  const token = pending?.token ?? (hasChecks(resolved) ? resolved.visit?.token : undefined);
  if (token === undefined) return start(() => caller.signal?.aborted !== true);
  const attempt = { run: run.runId, token, fingerprint: fingerprint(sent), at: deps.now(), start };
  const waiter = { patienceMs: await caller.patience?.(), signal: caller.signal };
  const wait = await awaitGates(pendingAdvances, waiter, attempt);
  if (wait.type === "running") return no({ code: "gate-running", token: wait.token, seconds: wait.seconds });
  // A cancelled caller never sees the reply, so don't give it the next visit.
  const isFinal = wait.delivered || !wait.result.ok || caller.signal?.aborted === true;
  return isFinal ? wait.result : takeNextVisit(deps, { run: run.runId });
}

/**
 * The pending advance with the same payload: its gates are still running, or its result was never delivered. If the
 * call names no run and the session has since been given a visit of another run, that other run is meant.
 */
async function findOwnPending(
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

/** Runs move between machines, so the journal has paths from the project's root. */
function relativeArtifacts(
  root: string,
  sent: z.infer<typeof SentArtifacts>,
): Outcome<Readonly<Record<string, string>>> {
  const paths: [string, string][] = [];
  for (const [name, path] of Object.entries(sent)) {
    const inside = isAbsolutePath(path) ? pathInside(root, path) : path;
    if (inside === null || !isRelativePath(inside)) return no({ code: "path-outside", name, path });
    paths.push([name, inside]);
  }
  return yes(Object.fromEntries(paths));
}

function hasChecks({ checks }: ResolvedAdvance): boolean {
  return checks.gates.length + checks.until.length > 0;
}

async function advance(
  deps: Deps,
  resolved: ResolvedAdvance,
  sent: AdvanceCommand,
  isAwaited: () => boolean,
): Promise<Outcome<Reply>> {
  const { standing, frozen, visit } = resolved;
  const { template } = frozen;
  const missing = sent.failed === true ? null : await refuseMissing(deps, resolved);
  if (missing !== null) return missing;
  // After a conflict the command still means this visit, not one that was opened meanwhile.
  const command = visit === null ? sent : { ...sent, token: visit.token };
  const checked = hasChecks(resolved) ? await checkVisit(deps, resolved, command) : yes(command);
  if (!checked.ok) return checked;
  // Without a caller to read the reply, what is due stays due for the next call.
  const delivered = isAwaited();
  const changed = await changeRun(deps, standing, template, {
    command: { ...checked.value, undelivered: !delivered },
    portable: true,
    handOut: delivered,
    afterRefusal: (refusal) => recordOf(refusal, checked.value),
  });
  if (!changed.ok) {
    const earlier = await recallAdvance(deps, standing, changed.refusal, {
      token: sent.token,
      fingerprint: fingerprint(sent),
    });
    return earlier === null ? no(completeRefusal(deps, resolved, changed.refusal)) : yes(earlier);
  }
  const { standing: next, events, replayed } = changed.value;
  if (replayed !== null) return yes(await replyAgain(deps, next, replayed.seq));
  const here = focusOn(deps, focusAfter(next.run, events));
  const status = await replyTo(here, next, events, frozen);
  const reply = delivered ? await briefCaller(here, template, next, status, "moved") : status;
  return yes(delivered ? await attachAfterMove(here, template, standing, changed.value, reply) : reply);
}

function completeRefusal(deps: Deps, { standing, visit }: ResolvedAdvance, refusal: Refusal): Refusal {
  if (refusal.code !== "approval-needed") return withRealPaths(deps, visit?.claim ?? standing.run, refusal);
  const free = openTasksOf(standing.run).flatMap(({ id, state }) => (state === "free" ? [id] : []));
  return free.length === 0 ? refusal : { ...refusal, free };
}

/** The journal travels, so it has a placeholder for the project; the caller is on this machine and gets the real path. */
function withRealPaths({ roots }: Deps, where: Pick<StartedRun, "worktree">, refusal: Refusal): Refusal {
  if (refusal.code !== "gate-failed") return refusal;
  const root = runProjectRoot(roots, where);
  return { ...refusal, what: fillProjectRoot(refusal.what, root), tail: fillProjectRoot(refusal.tail, root) };
}

/** What a refusal leaves in the journal: the gates' output, a request for approval, a spent budget. */
function recordOf(refusal: Refusal, { token, session, output, outcome, gates = [] }: AdvanceCommand): Command[] {
  const evidence: Command[] = gates.length === 0 ? [] : [{ type: "report-gates", token, session, evidence: gates }];
  if (refusal.code === "approval-needed") {
    return [...evidence, { type: "request-approval", token, session, output, outcome }];
  }
  return refusal.code === "review-needed" ? [...evidence, { type: "open-review", token, session }] : evidence;
}
