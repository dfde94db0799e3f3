import type { Visit } from "../model/run.ts";
import type { Template } from "../model/template.ts";
import { minutesBetween } from "../model/time.ts";
import { rulesOf } from "./rules.ts";

export type Spent = NonNullable<Visit["review"]>;

/** Which limit of a visit's budget is reached at this moment, if any. */
export function spentBudget(template: Template, visit: Visit, at: string): Spent | null {
  const budget = rulesOf(template, visit.place)?.budget;
  if (budget === null || budget === undefined) return null;
  const { turns, tokens, since } = visit.spending;
  if (budget.turns !== undefined && turns >= budget.turns) return "turns";
  if (budget.minutes !== undefined && minutesBetween(since, at) >= budget.minutes) return "minutes";
  if (budget.tokens !== undefined && tokens >= budget.tokens) return "tokens";
  return null;
}
