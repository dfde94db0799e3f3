import type { Note, Pivot, Question } from "../../model/carry.ts";
import type { StartedRun, Visit } from "../../model/run.ts";

/** Texts from outside the template that the agent must keep seeing, quoted as information rather than instructions. */
export function pinnedTexts(run: StartedRun, visit: Visit): readonly string[] {
  return [
    visit.note === null ? "" : noteText(visit.note),
    run.carried.pivot === null ? "" : pivotText(run.carried.pivot),
    answersText(run.questions.filter((each) => each.answer !== null)),
  ];
}

/** A warning that a pivot may undo work, with the git state at the time of the decision. */
export function turnedBackText({ from, commit, dirty }: Pivot): string {
  const changes = dirty === true ? ", with uncommitted changes" : "";
  const where = commit === null ? "" : ` At that time it was at commit ${commit.slice(0, 12)}${changes}.`;
  return `The work was sent back from "${from}": you may have to undo or change what is already done.${where}`;
}

function pivotText(pivot: Pivot): string {
  const feedback = pivot.text === null ? [] : [noteText({ from: "review", text: pivot.text })];
  return [...feedback, turnedBackText(pivot)].join("\n");
}

function noteText({ from, text }: Note): string {
  return `${noteHeads[from]}\n${quoted(text)}`;
}

const noteHeads = {
  approval: "A person rejected this step and said:",
  approved: "A person approved and said:",
  review: "A person reviewed the spent budget and said:",
  failure: "The last attempt failed for this reason:",
  gate: "The gate failed when it was last checked:",
} as const;

function answersText(questions: readonly Question[]): string {
  if (questions.length === 0) return "";
  const pairs = questions.map(
    ({ id, text, answer }) => `${id}\n${quoted(text)}\nanswer (${answer?.by ?? ""})\n${quoted(answer?.text ?? "")}`,
  );
  return ["Answered questions of this phase:", ...pairs].join("\n");
}

function quoted(text: string): string {
  return text.replace(/^/gm, "> ");
}
