import { askQuestion, relayed } from "../app/commands/ask-question.ts";
import { outcomesOf, stepSettings } from "../engine/step-settings.ts";
import { ownEntry } from "../model/json.ts";
import { quote } from "../model/quote.ts";
import type { LiveRun, Question, Visit } from "../model/run.ts";
import type { Template } from "../model/template.ts";
import { declarationOf } from "../model/variables/declared.ts";
import { no, type Outcome, yes } from "../operation/operation.ts";
import type { Result } from "./agents/agent.ts";
import type { Driver } from "./driver.ts";

/** The variable with which a workflow lets a person review in place of the agent, and what it has to be. */
export const reviewVariable = "review";
export const reviewers = ["model", "human"] as const;
const reviewingAgent = "reviewer";

/** Whether one can choose who reviews in runs of this workflow. */
export function hasReviewer(template: Template): boolean {
  const declared = declarationOf(template, reviewVariable);
  return reviewers.every((reviewer) => declared?.choices?.includes(reviewer) === true);
}

/** Whether the visit is a review that a person does: no agent is asked. */
export async function isPersonReview({ deps, runId }: Driver, template: Template, { place }: Visit): Promise<boolean> {
  const isReview = stepSettings(template, place)?.agent === reviewingAgent && outcomesOf(template, place) !== null;
  if (!isReview || !hasReviewer(template)) return false;
  // As the run was started: an agent can change its variables, but not who judges its work.
  const first = await deps.journal.find(runId, { version: 1, place: 0 });
  const started = first?.events.find((event) => event.type === "run-started");
  return started?.type === "run-started" && ownEntry(started.variables, reviewVariable) === "human";
}

/** What the person has said, as the visit's result. Null if they were asked just now, and the run waits for them. */
export async function askReviewer(
  { deps, runId }: Driver,
  template: Template,
  run: LiveRun,
  { token, place }: Visit,
): Promise<Outcome<Result | null>> {
  const outcomes = Object.keys(outcomesOf(template, place) ?? {});
  const answered = run.questions.findLast((each) => each.token === token && each.answer !== null);
  const words = answered === undefined ? null : await wholeAnswer(deps.store.read(runId), answered);
  const result = words === null || answered?.answer?.by === relayed ? null : resultOf(words, outcomes, place.step);
  if (result !== null) return yes(result);
  const question = questionFor(place.step, outcomes, runId, answered);
  const asked = await askQuestion.run(
    { ...deps, caller: { ...deps.caller, isDriven: true } },
    { run: runId, question },
  );
  return asked.ok ? yes(null) : no(asked.refusal);
}

/** The state has only the beginning of a long answer. */
async function wholeAnswer(commits: ReturnType<Driver["deps"]["store"]["read"]>, { id, answer }: Question) {
  let text = answer?.text ?? "";
  for await (const { events } of commits) {
    for (const event of events) if (event.type === "question-answered" && event.id === id) text = event.answer;
  }
  return text;
}

/** Null if the answer does not begin with an outcome, or does not say what has to change. */
function resultOf(answer: string, outcomes: readonly string[], step: string): Result | null {
  // The longest first: one may be the beginning of another.
  for (const outcome of outcomes.toSorted((a, b) => b.length - a.length)) {
    const said = restAfter(answer, outcome);
    if (said === null) continue;
    if (said !== "") return { outcome, output: tagged(step, said) };
    return outcome === outcomes[0] ? { outcome, output: "A person approved it." } : null;
  }
  return null;
}

/** What follows the outcome; null if the answer does not begin with it. People write "needs changes" for `needs_changes`. */
function restAfter(answer: string, outcome: string): string | null {
  const words = outcome.split(/[\s_-]+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const known = words.join("[\\s_-]+");
  const end = "(?![\\p{L}\\p{N}_?])\\**[\\s:.,;!–—-]*";
  const found = new RegExp(`^[^\\p{L}\\p{N}]*${known}${end}(.*)$`, "isu").exec(answer);
  return found === null ? null : (found[1] ?? "").trim();
}

/** What a person has said is told apart from what a model has found. */
function tagged(step: string, feedback: string): string {
  return `**[${step}_FEEDBACK]:** ${JSON.stringify(feedback)}`;
}

const opening = "Please review: ";
const where = "To see what it is about: holdfast context --run";

function questionFor(step: string, outcomes: readonly string[], run: string, before: Question | undefined): string {
  const [approved = "", ...others] = outcomes.map((outcome) => outcome.toUpperCase());
  const problem = before === undefined ? "" : ` (${problemWith(before)})`;
  const back = others.map((outcome) => `"${outcome}: <what has to change>"`).join(" or ");
  return `${opening}${step}${problem}. ${where} ${run}. Answer "${approved}", ${back}.`;
}

function problemWith({ answer }: Question): string {
  if (answer?.by === relayed) return "an agent passed on the last answer, and only a person's own counts";
  return `the last answer was ${quote((answer?.text ?? "").slice(0, 80))}`;
}

/**
 * Whether this is the question of a review. Its answer is the review's output, so instructions do not repeat it. A question of
 * an agent may begin in the same way.
 */
export function isReviewQuestion(text: string): boolean {
  return text.startsWith(opening) && text.includes(where);
}
