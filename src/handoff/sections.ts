import { pivotTag } from "../model/look-alike.ts";
import { clip, manyLines, oneLine, valueText } from "./data-text.ts";
import type { HandoffFacts } from "./facts.ts";

/** One part of a handoff. */
export interface Section {
  /** The full text first, then ever shorter versions of it. */
  readonly forms: readonly string[];
}

/** Maximum lengths of single items, in characters; the full texts are in the handoff file. */
const longest = {
  name: 100,
  path: 300,
  reminder: 400,
  value: 200,
  feedback: 1_000,
  pivot: 2_000,
  answer: 1_000,
  item: 160,
  about: 120,
  note: 200,
};
const longestInstructions = 4_000;

export function identity(facts: HandoffFacts): string {
  const { workflow, workflowType, summary, phase, runId } = facts;
  const parts = [
    `Workflow: ${oneLine(workflow, longest.name)} (${oneLine(workflowType, longest.name)})`,
    ...(summary === null ? [] : [JSON.stringify(oneLine(summary, longest.name))]),
    `phase ${phaseText(facts)} (${oneLine(phase.status, 40)})`,
    ...(runId === null ? [] : [`run ${oneLine(runId, longest.name)}`]),
  ];
  return parts.join(" · ");
}

export function phaseText({ phase }: HandoffFacts): string {
  return `${phase.current}/${phase.total} ${oneLine(phase.name, longest.name)}`.trim();
}

export function doneSection({ done }: HandoffFacts, file: string | null): Section {
  if (done.length === 0) return { forms: [""] };
  const head = "DONE, not to be redone";
  const name = (step: string) => oneLine(step, longest.name);
  const lines = done.map(({ number, step, about }) => `  ${number} ${name(step)}  ${oneLine(about, longest.about)}`);
  const names = done.map(({ number, step }) => `${number} ${name(step)}`).join(", ");
  return {
    forms: [
      [head, ...lines.map((line) => line.trimEnd())].join("\n"),
      `${head}: ${clip(names, 1_500)}`,
      `${head}: ${done.length} steps${pointer(file)}`,
    ],
  };
}

/** How many characters of the instructions each form keeps. */
const instructionLengths = [longestInstructions, 2_000, 1_000, 500, 250];

export function hereSection(facts: HandoffFacts, file: string | null): Section {
  const { here, phase } = facts;
  if (here === null) return { forms: [`CONTINUE HERE   phase ${phaseText(facts)} (${oneLine(phase.status, 40)})`] };
  const within = here.within === null ? "" : ` · ${oneLine(here.within, 300)}`;
  const where = `step ${here.number}/${here.total} ${oneLine(here.step, longest.name)}${within}`;
  const waiting = here.waiting === null ? [] : [`  ${oneLine(here.waiting, longest.note)}`];
  const head = `CONTINUE HERE   ${where} · visit ${oneLine(here.token, 400)}`;
  const quoted = manyLines(here.instructions).map((line) => `  | ${line}`.trimEnd());
  const left = pointer(here.instructionsFile ?? file);
  return {
    forms: instructionLengths.map((most) =>
      [head, ...waiting, truncateMiddle(quoted.join("\n"), most, left)].join("\n"),
    ),
  };
}

/** All entries, or as many as fit once every other section has shrunk. */
export function readingSection({ requiredReading }: HandoffFacts, file: string | null): Section {
  const all = requiredReading.length;
  if (all === 0) return { forms: [""] };
  const lines = requiredReading.map(({ path, missing }) => {
    return `  ${oneLine(path, longest.path)}${missing ? " (missing)" : ""}`;
  });
  const counts = [all, ...readingCounts.filter((count) => count < all)];
  return {
    forms: counts.map((count) => ["REQUIRED READING", ...lines.slice(0, count), ...rest(all - count, file)].join("\n")),
  };
}

const readingCounts = [120, 90, 60, 45, 30, 20, 15, 10, 5, 2, 1];

export function reminderSection({ keyReminders }: HandoffFacts, file: string | null): Section {
  return listSection(
    "KEY REMINDERS",
    keyReminders.map((reminder) => `  - ${oneLine(reminder, longest.reminder)}`),
    file,
  );
}

export function contextSection({ context }: HandoffFacts, file: string | null): Section {
  const pairs = Object.entries(context).map(([key, value]) => {
    return `${oneLine(key, longest.name)}: ${valueText(value, longest.value)}`;
  });
  if (pairs.length === 0) return { forms: [""] };
  const names = Object.keys(context).map((key) => oneLine(key, longest.name));
  return {
    forms: [
      `CONTEXT   ${pairs.join(" · ")}`,
      `CONTEXT   ${clip(names.join(", "), 400)}${pointer(file)}`,
      `CONTEXT   ${pairs.length} values${pointer(file)}`,
    ],
  };
}

export function otherSection({ others }: HandoffFacts): Section {
  const [first, ...rest] = others;
  if (first === undefined) return { forms: [""] };
  const one = ({ id, where }: typeof first) => `${oneLine(id, longest.name)} (${oneLine(where, longest.about)})`;
  const head = rest.length === 0 ? "Another live run in this project:" : "Other live runs in this project:";
  const switching = "To switch, pass its id as run_id.";
  const named = clip([first, ...rest].slice(0, 5).map(one).join(", "), 600);
  return { forms: [`${head} ${named}. ${switching}`, `${others.length} other live runs: see workflow_list.`] };
}

export function noteSection({ notes }: HandoffFacts): Section {
  return {
    forms: [
      notes
        .slice(0, 10)
        .map((note) => `Note: ${oneLine(note, longest.note)}`)
        .join("\n"),
      "",
    ],
  };
}

function listSection(head: string, lines: readonly string[], file: string | null): Section {
  if (lines.length === 0) return { forms: [""] };
  return {
    forms: [
      [head, ...lines].join("\n"),
      [head, ...lines.slice(0, 8).map((line) => clip(line, 160)), ...rest(lines.length - 8, file)].join("\n"),
      `${head}   ${lines.length}${pointer(file)}`,
    ],
  };
}

function rest(count: number, file: string | null): string[] {
  return count > 0 ? [`  and ${count} more${pointer(file)}`] : [];
}

function pointer(file: string | null): string {
  return file === null ? "" : `: read @${file}`;
}

/** Beyond the limit, keeps the beginning and the end, with a line between them that says how much was left out. */
function truncateMiddle(text: string, most: number, left: string): string {
  if (text.length <= most) return text;
  // The cut may split a surrogate pair.
  const head = text.slice(0, most * 0.65).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(-most / 4).replace(/^[\udc00-\udfff]/, "");
  const gone = text.length - head.length - tail.length;
  return [head, `  [${gone} characters left out${left}]`, `  | ${tail.replace(/^ *\|? ?/u, "")}`].join("\n");
}

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
