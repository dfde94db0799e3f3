import { choices } from "../model/nearest.ts";
import { type PlaceholderRoot, parseText, runFields, taskFields } from "../model/placeholder.ts";
import { bare } from "../model/quote.ts";
import { type Entry, type Names, type Outline, textOf } from "./outline.ts";
import { error, type Finding } from "./problem.ts";

/** Finds placeholders that no run can ever fill. */
export function placeholderFindings(template: Outline): Finding[] {
  return [
    ...template.steps.flatMap((step) => findingsIn(template, step, false)),
    ...template.loops.flatMap((loop) => loop.subSteps.flatMap((subStep) => findingsIn(template, subStep, true))),
  ];
}

function findingsIn(template: Outline, { path, fields }: Entry, inLoop: boolean): Finding[] {
  const seen = new Map<string, number>();
  return parseText(textOf(fields.instructions) ?? "").flatMap((part) => {
    if (part.type === "text") return [];
    const occurrence = seen.get(part.source) ?? 0;
    seen.set(part.source, occurrence + 1);
    const problem = problemOf(template, part.root, part.name, inLoop);
    if (problem === null) return [];
    const excerpt = { text: part.source, occurrence };
    return [error([...path, "instructions"], `${bare(part.source)} ${problem}`, { excerpt })];
  });
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
