import type { Question } from "../../model/carry.ts";
import type { Aim } from "../../model/command.ts";
import type { LiveRun } from "../../model/run.ts";
import { carriedText } from "../carried-text.ts";
import { fingerprintOf } from "../fingerprint.ts";
import { openQuestion } from "../open-question.ts";
import type { Rule } from "./command-handler.ts";
import { accept, type Refused, refuse } from "./decision.ts";
import { createDraft } from "./draft.ts";
import { aimAt } from "./find-target-visit.ts";

/** Parks the visit. A second question takes the place of one that is still open; the same one again changes nothing. */
export const ask: Rule<"ask"> = ({ run, at }, { question, token, session }) => {
  const aimed = aimAt(run, { token, session });
  if (!aimed.ok) return aimed;
  const { visit } = aimed;
  if (run.status === "paused") return refuse({ code: "run-paused", reason: run.reason });
  if (visit.review !== null) return refuse({ code: "review-needed", token: visit.token, spent: visit.review });
  const draft = createDraft(run, at);
  const by = session === undefined ? {} : { session };
  const text = question.trim();
  const asked = { id: `q${run.asked + 1}`, token: visit.token, step: visit.place.step, question: text };
  const before = openQuestion(run, visit.token);
  if (before === null || !isSame(before.text, before, text)) draft.record({ type: "question-asked", ...asked, ...by });
  return accept(draft);
};

/** The visit goes on where it was. The same answer again changes nothing; one to a question of the past is refused. */
export const answer: Rule<"answer"> = ({ run, at }, command) => {
  const draft = createDraft(run, at);
  const text = command.answer.trim();
  const before = run.questions.find(({ id }) => id === command.question);
  if (before?.answer != null && isSame(before.answer.text, before, text)) return accept(draft);
  const meant = findOpen(run, command);
  if ("ok" in meant) return meant;
  draft.record({ type: "question-answered", id: meant.id, token: meant.token, answer: text, by: command.by });
  return accept(draft);
};

/** The visit goes on without an answer. */
export const withdraw: Rule<"withdraw"> = ({ run, at }, command) => {
  const meant = findOpen(run, command);
  if ("ok" in meant) return meant;
  const draft = createDraft(run, at);
  draft.record({ type: "question-withdrawn", id: meant.id, token: meant.token, by: command.by });
  return accept(draft);
};

/** What is kept of a text is cut, so its fingerprint tells; a state of an older version has none. */
function isSame(kept: string, { fingerprint }: Question, said: string): boolean {
  return fingerprint === undefined ? kept === carriedText(said) : fingerprint === fingerprintOf(said);
}

function findOpen(
  run: LiveRun,
  { question, token }: Aim & { readonly question?: string | undefined },
): Question | Refused {
  const open = run.questions.filter((each) => each.answer === null && (token === undefined || each.token === token));
  const [meant, ...others] = question === undefined ? open : open.filter(({ id }) => id === question);
  if (meant !== undefined && others.length === 0) return meant;
  return refuse({ code: "question-not-open", question: question ?? null, open: open.map(({ id }) => id) });
}
