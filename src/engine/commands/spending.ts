import { rulesOf } from "../step-settings.ts";
import { spentBudget } from "./budget.ts";
import type { Rule } from "./command-handler.ts";
import { accept } from "./decision.ts";
import { createDraft } from "./draft.ts";
import { aimAt, openVisit } from "./find-target-visit.ts";

/** Only a running run spends: a visit that waits for a person is parked. */
export const countSpending: Rule<"count"> = (scene, command) => {
  const { template, run, at } = scene;
  const aimed = aimAt(run, command);
  if (!aimed.ok) return aimed;
  const { token, place } = aimed.visit;
  const { turns = 0, tokens = 0 } = command;
  const counts = rulesOf(template, place)?.budget !== null && run.status === "running";
  const draft = createDraft(run, at);
  if (!counts || turns + tokens === 0) return accept(draft);
  draft.record({ type: "budget-counted", token, turns, tokens });
  const counted = openVisit(draft.run, token);
  const spent = counted === undefined ? null : spentBudget(scene, counted);
  if (spent !== null) draft.record({ type: "review-opened", token, spent });
  return accept(draft);
};
