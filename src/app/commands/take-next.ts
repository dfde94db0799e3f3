import * as z from "zod";
import type { Standing } from "../../journal/run-journal.ts";
import type { Visit } from "../../model/run.ts";
import { isActionOpen, isLive } from "../../model/run-state.ts";
import { type Deps, defineOperation, type Outcome, workOnCopy, yes } from "../../operation/operation.ts";
import { markDelivered, stopStaleGates, undeliveredRun } from "../../operation/pending-advances.ts";
import { briefCaller } from "../briefing/brief-caller.ts";
import { isTurnOver, recordedReply } from "../driving/driven-reply.ts";
import { readTurn } from "../driving/turn.ts";
import { carryOutCommands } from "../gates/carry-out-commands.ts";
import { attachDue } from "../priming/attach-artifacts.ts";
import { changeRun } from "../runs/change-run.ts";
import { chooseRun, chooseRunOrLast, withOtherRuns } from "../runs/choose-run.ts";
import { type Asked, claimTask } from "../runs/claim-task.ts";
import { focusOn } from "../runs/focus.ts";
import { endLeases } from "../runs/keep-leases.ts";
import { type Reply, replyTo, statusOf, visitOf } from "../runs/reply.ts";
import { readFrozen } from "../workflows/frozen-template.ts";
import type { Frozen } from "../workflows/parse-frozen.ts";

/** What an agent calls to go on. Unlike `status`, it hands out what is due. */
export const takeNext = defineOperation({
  summary: "What to do now; hands out a context action that is due.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the one this call belongs to."),
    token: z.string().optional().describe("The visit's token, where several are open."),
    task: z.string().optional().describe("Claims this task, where several agents work on a loop."),
  }),
  run: (deps, input): Promise<Outcome<Reply>> =>
    deps.caller.isDriven === true ? showTurn(deps, input.run) : takeNextVisit(deps, input),
});

interface NextInput extends Asked {
  readonly run?: string | undefined;
}

export async function takeNextVisit(deps: Deps, { run: named, ...asked }: NextInput): Promise<Outcome<Reply>> {
  const chosen = await chooseUndelivered(deps, named);
  if (!chosen.ok) return chosen;
  const { run } = chosen.value;
  stopStaleGates(deps.pendingAdvances, run.runId, run);
  markDelivered(deps.pendingAdvances, run.runId, !isLive(run));
  if (!isLive(run)) {
    await endLeases(deps, run);
    return yes(await statusOf(deps, chosen.value));
  }
  const carried = await carryOutCommands(deps, chosen.value);
  if (!carried.ok) return carried;
  const here = carried.value;
  if (!isLive(here.run)) return yes(await statusOf(deps, here));
  const frozen = await readFrozen(deps, here.run);
  const claimed = await claimTask(deps, here, frozen.template, asked);
  if (!claimed.ok) return claimed;
  const { visit, standing } = claimed.value;
  const reply = await handOut(focusOn(deps, visit), standing, frozen, visit ?? undefined);
  if (!reply.ok) return reply;
  // Whoever takes the work of a colleague need not change anything in the run.
  if (named !== undefined) await workOnCopy(deps, run.runId);
  return yes(await withOtherRuns(deps, named, reply.value));
}

/** A driven agent sees the visit that it was given and nothing after it: the runner hands out what is next. */
async function showTurn(deps: Deps, named: string | undefined): Promise<Outcome<Reply>> {
  const chosen = await chooseRun(deps, named);
  if (!chosen.ok) return chosen;
  const { run } = chosen.value;
  const turn = await readTurn(deps, run.runId);
  if (turn === null || isTurnOver(turn, run)) return yes(recordedReply(run.runId, turn?.token ?? ""));
  const here = focusOn(deps, turn.token);
  const frozen = await readFrozen(deps, run);
  const status = await statusOf(here, chosen.value, frozen);
  return yes(await briefCaller(here, frozen.template, chosen.value, status, "asked"));
}

async function handOut(deps: Deps, here: Standing, frozen: Frozen, token: string | undefined): Promise<Outcome<Reply>> {
  const { template } = frozen;
  const { session } = deps.caller;
  const taken = await changeRun(deps, here, template, {
    // The visit's budget may have been spent since the last call.
    first: [{ type: "open-review", token: token ?? visitOf(deps, here)?.token }],
    command: (run) => ({ type: "hand-out", token, session, watched: isWatched(deps, visitOf(deps, { run })) }),
  });
  if (!taken.ok) return taken;
  const { standing: now, events } = taken.value;
  const reply = await briefCaller(deps, template, now, await replyTo(deps, now, events, frozen), "asked");
  return yes(await attachDue(deps, template, now, reply));
}

/**
 * The reply of a call that may have led to a command: carries it out and replies with what follows. `began` is when the
 * call began, as `process.uptime` tells it, so that all its waiting together stays within the host's timeout.
 */
export async function replyPastCommands<R extends Reply>(
  deps: Deps,
  reply: Outcome<R>,
  began: number,
): Promise<Outcome<R | Reply>> {
  if (!reply.ok || "contextAction" in reply.value) return reply;
  const { stepType, status, runId } = reply.value;
  if (stepType !== "command" || status !== "running" || deps.caller.signal?.aborted === true) return reply;
  const { patience } = deps.caller;
  const rest = patience && (async () => Math.max(0, (await patience()) - (process.uptime() - began) * 1_000));
  return takeNextVisit({ ...deps, caller: { ...deps.caller, patience: rest } }, { run: runId });
}

/** Whether hooks report what happens to the calling session. Reads its log only for a visit whose context action is open. */
function isWatched({ caller: { session }, sessions }: Deps, visit: Visit | null): boolean {
  return visit !== null && isActionOpen(visit) && session !== undefined && sessions.read(session).host !== null;
}

/** When no run is live: the one that ended here after its caller stopped waiting, else the one that ended last. */
async function chooseUndelivered(deps: Deps, named: string | undefined): Promise<Outcome<Standing>> {
  const chosen = await chooseRunOrLast(deps, named);
  if (named !== undefined || (chosen.ok && isLive(chosen.value.run))) return chosen;
  const undelivered = undeliveredRun(deps.pendingAdvances);
  return undelivered === undefined ? chosen : chooseRun(deps, undelivered);
}
