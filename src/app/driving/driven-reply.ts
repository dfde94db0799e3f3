import { decide } from "../../engine/commands/decide.ts";
import type { AdvanceCommand } from "../../model/command.ts";
import type { StartedRun } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";
import type { MessageReply } from "../runs/reply.ts";
import type { ResolvedAdvance } from "../runs/resolve-advance.ts";
import { type DrivenTurn, readTurn, writeTurn } from "./turn.ts";

/** What a driven agent is told once its part of a visit is done: the runner does the rest, when the turn has ended. */
export function recordedReply(runId: string, token: string): MessageReply {
  return { contextAction: null, message: "recorded; end your turn now", runId, token };
}

/** Keeps the result for the runner, which checks the gates and moves the run on. What cannot be right is refused at once. */
export async function submitResult(
  deps: Deps,
  { standing, frozen, visit, checks }: ResolvedAdvance,
  command: AdvanceCommand,
): Promise<Outcome<MessageReply>> {
  const { run } = standing;
  const held = checks.gates.map((_, gate) => ({ gate, held: true, what: "" }));
  const decision = decide(frozen.template, run, { ...command, gates: held }, deps.now());
  if (!decision.ok && decision.refusal.code !== "approval-needed") return no(decision.refusal);
  const turn = await readTurn(deps, run.runId);
  if (visit !== null && turn?.token !== visit.token) {
    const open = turn === null ? [] : [turn.token];
    return no({ code: "step-stale", sent: visit.token, spent: false, open });
  }
  const { output, outcome, failed, variables, artifacts } = command;
  if (turn !== null) {
    await writeTurn(deps, run.runId, { ...turn, result: { output, outcome, failed, variables, artifacts } });
  }
  return yes(recordedReply(run.runId, visit?.token ?? ""));
}

/** Whether the agent's part of its visit is done: it has sent a result, or the run has moved on. */
export function isTurnOver({ token: given, result }: DrivenTurn, run: StartedRun): boolean {
  return result !== undefined || !isLive(run) || !run.visits.some(({ token }) => token === given);
}
