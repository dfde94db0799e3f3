import type { LiveRun, Visit } from "../../model/run.ts";
import { minutesBetween } from "../../model/time.ts";
import { stepSettings } from "../step-settings.ts";
import type { HandlerContext } from "./command-handler.ts";

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

function minutesOf({ spending }: Visit, run: LiveRun, at: string): number {
  return spending.minutes + (run.status === "running" ? minutesBetween(spending.since, at) : 0);
}
