import { clip, manyLines, oneLine, valueText } from "./data-text.ts";
import type { HandoffFacts, Here } from "./facts.ts";

/** One part of a handoff, from its whole text down to the least that may stand for it. */
export interface Section {
  readonly forms: readonly string[];
}

/** How long one item may be. Whoever wants the rest finds it in the file. */
const longest = { name: 100, path: 300, reminder: 400, value: 200, feedback: 1_000, about: 120, note: 200 };
const longestInstructions = 4_000;
const mostReading = 60;

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

export function hereSection(facts: HandoffFacts): string {
  const { here, phase } = facts;
  if (here === null) return `CONTINUE HERE   phase ${phaseText(facts)} (${oneLine(phase.status, 40)})`;
  const within = here.within === null ? "" : ` · ${oneLine(here.within, 300)}`;
  const where = `step ${here.number}/${here.total} ${oneLine(here.step, longest.name)}${within}`;
  const waiting = here.waiting === null ? [] : [`  ${oneLine(here.waiting, longest.note)}`];
  const head = `CONTINUE HERE   ${where} · visit ${oneLine(here.token, 400)}`;
  return [head, ...waiting, ...instructionLines(here)].join("\n");
}

export function readingSection({ requiredReading }: HandoffFacts, file: string | null): string {
  if (requiredReading.length === 0) return "";
  const lines = requiredReading
    .slice(0, mostReading)
    .map(({ path, missing }) => `  ${oneLine(path, longest.path)}${missing ? " (missing)" : ""}`);
  const more = requiredReading.length - lines.length;
  return ["REQUIRED READING", ...lines, ...(more > 0 ? [`  and ${more} more${pointer(file)}`] : [])].join("\n");
}

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

export function feedbackSection({ feedback }: HandoffFacts, file: string | null): Section {
  const lines = feedback.map(({ from, text }) => {
    return `  ${oneLine(from, longest.name)}: ${JSON.stringify(oneLine(text, longest.feedback))}`;
  });
  return listSection("FEEDBACK", lines, file);
}

export function otherSection({ others }: HandoffFacts): Section {
  const [first, ...rest] = others;
  if (first === undefined) return { forms: [""] };
  const one = ({ id, where }: typeof first) => `${oneLine(id, longest.name)} (${oneLine(where, longest.about)})`;
  const head = rest.length === 0 ? "Another live run in this project:" : "Other live runs in this project:";
  const switching = "To go on with one, name it as run_id.";
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

/** Whole up to the limit; beyond it the beginning and the end, and where the whole is. */
function instructionLines({ instructions, instructionsFile }: Here): string[] {
  const lines = manyLines(instructions).map((line) => `  | ${line}`.trimEnd());
  const text = lines.join("\n");
  if (text.length <= longestInstructions) return [text];
  const characters = [...text];
  const head = characters.slice(0, 2_600).join("");
  const tail = characters.slice(-1_000).join("");
  const left = characters.length - 3_600;
  return [head, `  [${left} characters left out${pointer(instructionsFile)}]`, `  | ${tail.replace(/^ *\|? ?/u, "")}`];
}
