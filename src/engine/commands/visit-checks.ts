import type { AdvanceCommand } from "../../model/command.ts";
import type { Gate } from "../../model/gate.ts";
import type { Evidence } from "../../model/recorded.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { Spending, Visit } from "../../model/run.ts";
import { isApproval, isTicking, waitsForApproval } from "../../model/run-state.ts";
import type { Budget } from "../../model/template.ts";
import { minutesBetween } from "../../model/time.ts";
import { type BudgetLimit, budgetLimits } from "../../model/visit-rules.ts";
import { stepSettings } from "../step-settings.ts";
import { type HandlerContext, type Refused, refuse } from "./decision.ts";

/** The limit that is reached, and whether it is one of the whole run. */
export interface Spent {
  readonly spent: BudgetLimit;
  readonly of?: "run";
}

/** The limit that keeps a visit from going on: the one it is in review for, else one that is reached now. */
export function spentBudget(context: HandlerContext, visit: Visit): Spent | null {
  const { review, reviewOf, place, spending } = visit;
  if (review !== null) return { spent: review, ...(reviewOf && { of: reviewOf }) };
  const { template, run } = context;
  const own = reachedLimit(context.at, stepSettings(template, place)?.budget, spending, isTicking(run, visit));
  if (own !== null) return { spent: own };
  const whole = reachedLimit(context.at, template.budget, run.spending, run.status === "running");
  return whole === null ? null : { spent: whole, of: "run" };
}

export function reviewNeeded(visit: Visit, spent: Spent): Refused {
  return refuse({ code: "review-needed", ...namesOf(visit), ...spent });
}

/** What an agent has to send, and in a loop that several agents work on also what a person has to name. */
function namesOf({ token, place, claim }: Visit): { readonly token: string; readonly task?: string } {
  return { token, ...(claim !== undefined && place.type === "sub-step" && { task: place.task }) };
}

function reachedLimit(
  at: string,
  budget: Budget | null | undefined,
  spending: Spending | undefined,
  ticks: boolean,
): BudgetLimit | null {
  if (budget === null || budget === undefined || spending === undefined) return null;
  const { minutes, since, cost = 0, ...counted } = spending;
  const running = ticks ? minutesBetween(since, at) : 0;
  const spent = { ...counted, minutes: minutes + running, cost };
  return budgetLimits.find((limit) => spent[limit] >= (budget[limit] ?? Number.POSITIVE_INFINITY)) ?? null;
}

/** Why a visit cannot go on before a person has decided about its failure. */
export function decisionNeeded(visit: Visit, { why, reason }: NonNullable<Visit["pending"]>): Refusal {
  return { code: "decision-needed", ...namesOf(visit), step: visit.place.step, why, reason };
}

/** Why an agent cannot end, or ask about, a step that Holdfast carries out itself. */
export function notForAgents({ token, place: { step }, command }: Visit, at: string): Refusal {
  if (command === undefined) return { code: "command-step", token, step };
  return { code: "step-running", token, step, seconds: Math.floor(minutesBetween(command.since, at) * 60) };
}

/** Fails closed: a gate without evidence has not passed. A person is asked only after all other gates have passed. */
export function checkGates(
  visit: Visit,
  gates: readonly Gate[],
  { gates: evidence = [], outcome }: Pick<AdvanceCommand, "gates" | "outcome">,
): Refused | null {
  const asks = gates.some(isApproval) && !isApprovedFor(visit, outcome);
  if (asks && waitsForApproval(visit)) return refuse({ code: "approval-needed", ...namesOf(visit) });
  const checks = gates.flatMap((gate, index) => (isApproval(gate) ? [] : [index]));
  const failed = evidence.find((one) => checks.includes(one.gate) && !one.held);
  if (failed !== undefined) {
    const { gate, what, exitCode = null, tail = "" } = failed;
    return refuse({ code: "gate-failed", gate, what, exitCode, tail });
  }
  const unchecked = checks.filter((index) => !holds(evidence, index));
  if (unchecked.length > 0) return refuse({ code: "gate-unchecked", gates: unchecked });
  return asks ? refuse({ code: "approval-needed", ...namesOf(visit) }) : null;
}

/**
 * A person approves what is submitted, and an outcome decides where the run goes: another one is another question. If it is not
 * known which one was approved, the person is asked again.
 */
export function isApprovedFor({ approval, proposed }: Visit, outcome: string | undefined): boolean {
  return approval === "given" && proposed === outcome;
}

export function holds(evidence: readonly Evidence[], index: number): boolean {
  const about = evidence.filter((one) => one.gate === index);
  return about.length > 0 && about.every((one) => one.held);
}
