import type { Evidence, Gate } from "../../model/gate.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { LiveRun, Visit } from "../../model/run.ts";
import { isApproval, waitsForApproval } from "../../model/run-state.ts";
import { minutesBetween } from "../../model/time.ts";
import { stepSettings } from "../step-settings.ts";
import { type HandlerContext, type Refused, refuse } from "./decision.ts";

export type Spent = NonNullable<Visit["review"]>;

/** The limit of a visit's budget that is reached now, if any. */
export function spentBudget({ template, run, at }: HandlerContext, visit: Visit): Spent | null {
  const budget = stepSettings(template, visit.place)?.budget;
  if (budget === null || budget === undefined) return null;
  const { turns, tokens } = visit.spending;
  if (budget.turns !== undefined && turns >= budget.turns) return "turns";
  if (budget.minutes !== undefined && minutesOf(visit, run, at) >= budget.minutes) return "minutes";
  if (budget.tokens !== undefined && tokens >= budget.tokens) return "tokens";
  return null;
}

/** Why a visit cannot go on before a person has decided about its failure. */
export function decisionNeeded({ token, place }: Visit, { why, reason }: NonNullable<Visit["pending"]>): Refusal {
  return { code: "decision-needed", token, step: place.step, why, reason };
}

function minutesOf({ spending }: Visit, run: LiveRun, at: string): number {
  return spending.minutes + (run.status === "running" ? minutesBetween(spending.since, at) : 0);
}

/** Fails closed: a gate without evidence has not passed. A person is asked only after all other gates have passed. */
export function checkGates(visit: Visit, gates: readonly Gate[], evidence: readonly Evidence[]): Refused | null {
  const asks = gates.some(isApproval) && visit.approval !== "given";
  if (asks && waitsForApproval(visit)) return refuse({ code: "approval-needed", token: visit.token });
  const checks = gates.flatMap((gate, index) => (isApproval(gate) ? [] : [index]));
  const failed = evidence.find((one) => checks.includes(one.gate) && !one.held);
  if (failed !== undefined) {
    const { gate, what, exitCode = null, tail = "" } = failed;
    return refuse({ code: "gate-failed", gate, what, exitCode, tail });
  }
  const unchecked = checks.filter((index) => !holds(evidence, index));
  if (unchecked.length > 0) return refuse({ code: "gate-unchecked", gates: unchecked });
  return asks ? refuse({ code: "approval-needed", token: visit.token }) : null;
}

export function holds(evidence: readonly Evidence[], index: number): boolean {
  const about = evidence.filter((one) => one.gate === index);
  return about.length > 0 && about.every((one) => one.held);
}
