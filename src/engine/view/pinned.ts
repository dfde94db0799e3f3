import type { Pivot, Question } from "../../model/carry.ts";
import type { Note, StartedRun, Visit } from "../../model/run.ts";

/** What came from outside the template and must stay before the agent. It is quoted: it informs and does not instruct. */
export function pinnedTexts(run: StartedRun, visit: Visit): readonly string[] {
  return [
    visit.note === null ? "" : noteText(visit.note),
    run.carried.pivot === null ? "" : pivotText(run.carried.pivot),
    answersText(run.questions.filter((each) => each.answer !== null)),
  ];
}

/** That a pivot may undo work, and where the work stood when it was decided. */
export function turnedBackText({ from, commit, dirty }: Pivot): string {
  const changes = dirty === true ? ", with changes that were not committed" : "";
  const where =
    commit === null ? "" : ` When that was decided, it stood at the commit ${commit.slice(0, 12)}${changes}.`;
  return `The work was turned back from "${from}": what is already done may have to be undone or changed.${where}`;
}

function pivotText(pivot: Pivot): string {
  const said = pivot.text === null ? [] : [noteText({ from: "review", text: pivot.text })];
  return [...said, turnedBackText(pivot)].join("\n");
}

function noteText({ from, text }: Note): string {
  return `${noteHeads[from]}\n${quoted(text)}`;
}

const noteHeads = {
  approval: "A person refused to approve this step and said:",
  approved: "A person approved, and said:",
  review: "A person reviewed the spent budget and said:",
  failure: "The last attempt failed, for this reason:",
  gate: "The gate did not hold when it was last checked:",
} as const;

function answersText(questions: readonly Question[]): string {
  if (questions.length === 0) return "";
  const pairs = questions.map(
    ({ id, text, answer }) => `${id}\n${quoted(text)}\nanswer (${answer?.by ?? ""})\n${quoted(answer?.text ?? "")}`,
  );
  return ["Questions of this phase that have been answered:", ...pairs].join("\n");
}

function quoted(text: string): string {
  return text.replace(/^/gm, "> ");
}
