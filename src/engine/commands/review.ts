import type { ReviewCommand } from "../../model/command.ts";
import type { Visit } from "../../model/run.ts";
import { outputKey } from "../../model/run-state.ts";
import { carriedText } from "../carried-text.ts";
import { findStep, stepSettings } from "../step-settings.ts";
import { failureVerdicts } from "../verdicts.ts";
import { actorOf } from "./approval.ts";
import {
  accept,
  type CommandHandler,
  createEventDraft,
  type Decision,
  type HandlerContext,
  refuse,
} from "./decision.ts";
import { closeOthers } from "./failure.ts";
import { findDecidedVisit, findTargetVisit } from "./find-target-visit.ts";
import { enterStep, reasonAt } from "./move.ts";
import { spentBudget } from "./visit-checks.ts";

/** A person is warned from the third continuation in a row on; after the fifth, continuing is refused. */
export const continuations = { warnAt: 3, most: 5 };

/** Puts a visit into review whose budget is spent, or that of the whole run. */
export const openReview: CommandHandler<"open-review"> = (context, command) => {
  const { run, at } = context;
  const target = findTargetVisit(run, command);
  if (!target.ok) return target;
  const { visit } = target;
  const isOpen = visit.review === null && visit.pending === undefined && run.status !== "paused";
  const spent = isOpen ? spentBudget(context, visit) : null;
  const draft = createEventDraft(run, at);
  if (spent !== null) draft.record({ type: "review-opened", token: visit.token, ...spent });
  return accept(draft);
};

export const review: CommandHandler<"review"> = (context, command) => {
  const { run } = context;
  const target = findDecidedVisit(run, command, (visit) => visit.review !== null);
  if (!target.ok) return target;
  const { visit } = target;
  if (run.status === "paused") return refuse({ code: "run-paused", reason: run.reason });
  if (visit.review === null && visit.pending !== undefined) {
    const { token } = visit;
    return refuse({ code: "verdict-unfit", token, verdict: command.verdict, fitting: [...failureVerdicts] });
  }
  if (visit.review === null) return refuse({ code: "review-not-open", token: visit.token });
  const { continues = 0 } = (visit.reviewOf === "run" ? run.spending : visit.spending) ?? {};
  if (command.verdict === "continue" && continues >= continuations.most) {
    return refuse({ code: "continue-refused", continues });
  }
  return carryOut(context, visit, command);
};

function carryOut({ template, run, at, outputs }: HandlerContext, visit: Visit, command: ReviewCommand): Decision {
  const { token, place } = visit;
  const { verdict } = command;
  const feedback = command.feedback?.trim() ? command.feedback.trim() : null;
  const draft = createEventDraft(run, at);
  draft.record({ type: "review-decided", token, verdict, ...actorOf(command), feedback });
  if (verdict === "abandon") {
    closeOthers(draft, token);
    draft.record({ type: "run-failed", reason: reasonAt(outputKey(place), feedback ?? "abandoned in review") });
  }
  if (verdict === "pivot") {
    const budget = visit.reviewOf === "run" ? template.budget : stepSettings(template, place)?.budget;
    const named = budget?.pivot_to;
    const target = (named === undefined ? undefined : findStep(template, named)) ?? template.steps[0];
    if (target === undefined) throw new Error(`the template "${template.name}" has no steps`);
    closeOthers(draft, token);
    draft.record({ type: "visit-closed", token, place, reason: "pivot" });
    draft.record({
      type: "carry-set",
      slot: "pivot",
      text: feedback === null ? null : carriedText(feedback),
      from: place.step,
      to: target.id,
      commit: command.work?.commit ?? null,
      dirty: command.work?.dirty ?? null,
    });
    enterStep({ template, draft, outputs, unread: true }, target, { from: place.step, reason: "pivot" });
  }
  return accept(draft);
}
