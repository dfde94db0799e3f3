import { pivotTag } from "../model/look-alike.ts";
import { clip, manyLines, oneLine } from "./data-text.ts";
import type { HandoffFacts } from "./facts.ts";
import { listSection, type Section, truncateMiddle } from "./sections.ts";

/** Maximum lengths of single items, in characters. */
const longest = { name: 100, feedback: 1_000, pivot: 2_000, answer: 1_000, item: 160 };

/** Only this section puts the pivot tag at the beginning of a line: text from state never can. */
export function feedbackSection({ feedback, memory: { pivot } }: HandoffFacts, file: string | null): Section {
  const lines = feedback.map(({ from, text }) => {
    return `  ${oneLine(from, longest.name)}: ${quoted(text, longest.feedback)}`;
  });
  if (pivot === null) return listSection("FEEDBACK", lines, file);
  const tagged = (most: number) => (pivot.text === null ? [] : [`${pivotTag} ${quoted(pivot.text, most)}`]);
  const about = `  ${oneLine(pivot.about, longest.feedback)}`;
  return {
    forms: [longest.pivot, 800, 400].map((most, form) => {
      return ["FEEDBACK", ...tagged(most), about, ...(form === 0 ? lines : lines.map((line) => clip(line, 160)))].join(
        "\n",
      );
    }),
  };
}

export function answersSection({ memory: { answers } }: HandoffFacts, file: string | null): Section {
  const lines = answers.map(({ id, question, answer, by }) => {
    const who = oneLine(by, longest.name);
    return `  ${oneLine(id, longest.name)} ${quoted(question, longest.answer)} ${who}: ${quoted(answer, longest.answer)}`;
  });
  return listSection("ANSWERS", lines, file);
}

export function carriedSection({ memory: { carried } }: HandoffFacts): Section {
  if (carried.length === 0) return { forms: [""] };
  const names = carried.map(({ name }) => oneLine(name, longest.name)).join(", ");
  const whole = (most: number) =>
    carried.map(({ name, text }) => {
      const lines = manyLines(text).map((line) => `  | ${line}`.trimEnd());
      return `CARRIED   ${oneLine(name, longest.name)}\n${truncateMiddle(lines.join("\n"), most, ": see workflow_context")}`;
    });
  return {
    forms: [...[3_000, 1_000, 400].map((most) => whole(most).join("\n\n")), `CARRIED   ${names}: see workflow_context`],
  };
}

/** One line: the agent can read the list itself from its file. */
export function todoSection({ memory: { todo } }: HandoffFacts): Section {
  if (todo === null) return { forms: [""] };
  const { file, items, done, current, edited } = todo;
  const now = current === null ? "" : `; now: ${quoted(current, longest.item)}`;
  const where = `(${oneLine(file, longest.name)}${edited ? ", edited by hand since" : ""})`;
  return { forms: [`TODO   ${done} of ${items} done${now} ${where}`, `TODO   ${done} of ${items} done ${where}`] };
}

function quoted(text: string, most: number): string {
  return JSON.stringify(oneLine(text, most));
}
