import type { VisitTarget } from "../../model/command.ts";
import type { LiveRun, Question } from "../../model/run.ts";
import { openQuestion } from "../../model/run-state.ts";
import { carriedText } from "../carried-text.ts";
import { fingerprintOf } from "../fingerprint.ts";
import { actorOf } from "./approval.ts";
import { accept, type CommandHandler, createEventDraft, type Refused, refuse } from "./decision.ts";
import { findTargetVisit } from "./find-target-visit.ts";
import { decisionNeeded, notForAgents, reviewNeeded, spentBudget } from "./visit-checks.ts";

/** Makes the visit wait. A second question replaces an open one; repeating the same question changes nothing. */
export const ask: CommandHandler<"ask"> = (context, { question, token, session }) => {
  const { run, at } = context;
  const target = findTargetVisit(run, { token, session });
  if (!target.ok) return target;
  const { visit } = target;
  if (run.status === "paused") return refuse({ code: "run-paused", reason: run.reason });
  if (visit.pending !== undefined) return refuse(decisionNeeded(visit, visit.pending));
  if (visit.place.type === "command") return refuse(notForAgents(visit, at));
  const spent = visit.review === null ? null : spentBudget(context, visit);
  if (spent !== null) return reviewNeeded(visit, spent);
  const draft = createEventDraft(run, at);
  const by = session === undefined ? {} : { session };
  const text = question.trim();
  const asked = { id: `q${run.asked + 1}`, token: visit.token, step: visit.place.step, question: text };
  const before = openQuestion(run, visit.token);
  if (before === null || !isSame(before.text, before, text)) draft.record({ type: "question-asked", ...asked, ...by });
  return accept(draft);
};

/** The visit continues. Repeating the same answer changes nothing; answering a closed question is refused. */
export const answer: CommandHandler<"answer"> = ({ run, at }, command) => {
  const draft = createEventDraft(run, at);
  const text = command.answer.trim();
  const before = run.questions.find(({ id }) => id === command.question);
  if (before?.answer != null && isSame(before.answer.text, before, text)) return accept(draft);
  const meant = findOpen(run, command);
  if ("ok" in meant) return meant;
  draft.record({ type: "question-answered", id: meant.id, token: meant.token, answer: text, ...actorOf(command) });
  return accept(draft);
};

/** The visit continues without an answer. */
export const withdraw: CommandHandler<"withdraw"> = ({ run, at }, command) => {
  const meant = findOpen(run, command);
  if ("ok" in meant) return meant;
  const draft = createEventDraft(run, at);
  draft.record({ type: "question-withdrawn", id: meant.id, token: meant.token, ...actorOf(command) });
  return accept(draft);
};

/** Stored texts are truncated, so fingerprints are compared; states of older versions have none. */
function isSame(kept: string, { fingerprint }: Question, text: string): boolean {
  return fingerprint === undefined ? kept === carriedText(text) : fingerprint === fingerprintOf(text);
}

function findOpen(
  run: LiveRun,
  { question, token }: VisitTarget & { readonly question?: string | undefined },
): Question | Refused {
  const open = run.questions.filter((each) => each.answer === null && (token === undefined || each.token === token));
  const [meant, ...others] = question === undefined ? open : open.filter(({ id }) => id === question);
  if (meant !== undefined && others.length === 0) return meant;
  return refuse({ code: "question-not-open", question: question ?? null, open: open.map(({ id }) => id) });
}
