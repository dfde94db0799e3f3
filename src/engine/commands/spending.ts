import { stepSettings } from "../step-settings.ts";
import { accept, type CommandHandler, createEventDraft } from "./decision.ts";
import { findTargetVisit, openVisit } from "./find-target-visit.ts";
import { spentBudget } from "./visit-checks.ts";

/** Time counts only while the run is running, not while a visit waits for a person. */
export const countSpending: CommandHandler<"count"> = (context, command) => {
  const { template, run, at } = context;
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  const { token, place } = target.visit;
  const { turns = 0, tokens = 0 } = command;
  const counts = stepSettings(template, place)?.budget !== null && run.status === "running";
  const draft = createEventDraft(run, at);
  if (!counts || turns + tokens === 0) return accept(draft);
  draft.record({ type: "budget-counted", token, turns, tokens });
  const counted = openVisit(draft.run, token);
  const spent = counted === undefined ? null : spentBudget(context, counted);
  if (spent !== null) draft.record({ type: "review-opened", token, spent });
  return accept(draft);
};
