import { choices } from "../model/nearest.ts";
import { type PlaceholderRoot, parseText, runFields, taskFields } from "../model/placeholder.ts";
import { bare } from "../model/quote.ts";
import { ActionStep, CommandStep, LoopStep, RalphStep } from "../model/template.ts";
import { meantPlaceholder } from "./meant-placeholder.ts";
import { type Entry, keyFor, type Names, type Outline, textOf } from "./outline.ts";
import { error, type Finding, type Path, warning } from "./problem.ts";

/** Finds placeholders that no run can ever fill, and texts in braces that are probably a misspelt placeholder. */
export function placeholderFindings(template: Outline): Finding[] {
  return [
    ...template.steps.flatMap((step) => instructionFindings(template, step, false)),
    ...template.loops.flatMap(({ subSteps }) => subSteps.flatMap((each) => instructionFindings(template, each, true))),
    ...template.reminders.flatMap(({ path, text }) => reminderFindings(template, path, text)),
  ];
}

const stepKeys = Object.keys({ ...ActionStep.shape, ...LoopStep.shape, ...RalphStep.shape, ...CommandStep.shape });

function instructionFindings(template: Outline, { path, fields }: Entry, inLoop: boolean): Finding[] {
  const key = keyFor(fields, "instructions", stepKeys);
  return piecesOf(textOf(fields[key]) ?? "").flatMap(({ source, placeholder, excerpt }) => {
    if (placeholder === null) return misspelt(template, [...path, key], source, excerpt);
    const problem = problemOf(template, placeholder.root, placeholder.name, inLoop);
    return problem === null ? [] : [error([...path, key], `${bare(source)} ${problem}`, { excerpt })];
  });
}

/** Only warnings: a reminder with braces was plain text before reminders were filled, and must still load. */
function reminderFindings(template: Outline, path: Path, text: string): Finding[] {
  return piecesOf(text).flatMap(({ source, placeholder, excerpt }) => {
    if (placeholder === null) return misspelt(template, path, source, excerpt);
    const { root, name } = placeholder;
    // The request is in the journal, not in the run's state, and too long for a reminder.
    const isFilled = root === "vars" || (root === "run" && name !== "request");
    const problem = isFilled ? problemOf(template, root, name, false) : "is not filled in reminders";
    return problem === null ? [] : [warning(path, `${bare(source)} ${problem}`, { excerpt })];
  });
}

interface Piece {
  readonly source: string;
  readonly placeholder: { readonly root: PlaceholderRoot; readonly name: string } | null;
  readonly excerpt: { readonly text: string; readonly occurrence: number };
}

/** The texts in braces that are placeholders or could be meant as one, each with its place. */
function piecesOf(text: string): Piece[] {
  const seen = new Map<string, number>();
  const placed = (source: string, placeholder: Piece["placeholder"]): Piece => {
    const occurrence = seen.get(source) ?? 0;
    seen.set(source, occurrence + 1);
    return { source, placeholder, excerpt: { text: source, occurrence } };
  };
  return parseText(text).flatMap((part) =>
    part.type === "placeholder"
      ? [placed(part.source, part)]
      : [...part.text.matchAll(/\{[\w.-]+\}/g)].map(([source]) => placed(source, null)),
  );
}

function misspelt(template: Outline, path: Path, source: string, excerpt: Piece["excerpt"]): Finding[] {
  const meant = meantPlaceholder(template, source.slice(1, -1));
  if (meant === null) return [];
  const message = `${source} is not a placeholder and stays as it is; did you mean ${meant}? For plain text, write {${source}`;
  return [warning(path, message, { excerpt })];
}

function problemOf(template: Outline, root: PlaceholderRoot, name: string, inLoop: boolean): string | null {
  switch (root) {
    case "project_root":
      return null;
    case "task":
      return inLoop ? missing(name, tasksHave, "a task has") : "is only available in the sub-steps of a loop";
    case "run":
      return missing(name, runsHave, "a run has");
    case "vars":
      return missing(name, template.variables, "variables has");
    case "outputs":
      return missing(name, template.stepIds, "the steps are");
  }
}

const tasksHave: ReadonlySet<string> = new Set(taskFields);
const runsHave: ReadonlySet<string> = new Set(runFields);

function missing(name: string, known: Names, whose: string): string | null {
  if (known === null || known.has(name)) return null;
  return `is unknown${known.size === 0 ? `; ${whose} none` : choices(name, known, whose)}`;
}
