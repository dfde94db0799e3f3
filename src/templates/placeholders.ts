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
    ...template.steps.flatMap((step) => instructionFindings(template, step, kindOf(step))),
    ...template.loops.flatMap(({ subSteps }) =>
      subSteps.flatMap((each) => instructionFindings(template, each, "sub-step")),
    ),
    ...template.reminders.flatMap(({ path, text }) => reminderFindings(template, path, text)),
  ];
}

const stepKeys = Object.keys({ ...ActionStep.shape, ...LoopStep.shape, ...RalphStep.shape, ...CommandStep.shape });

type Kind = "sub-step" | "ralph" | "other";

function kindOf({ fields }: Entry): Kind {
  return fields.type === "ralph" ? "ralph" : "other";
}

function instructionFindings(template: Outline, { path, fields }: Entry, kind: Kind): Finding[] {
  const key = keyFor(fields, "instructions", stepKeys);
  const here = [...path, key];
  const pieces = piecesOf(textOf(fields[key]) ?? "");
  return [
    ...pieces.flatMap(({ source, placeholder, excerpt }) => {
      if (placeholder === null) return misspelt(template, here, source, excerpt);
      const { root, name } = placeholder;
      // Before there was a placeholder for passes, these were plain text, and elsewhere they still are.
      if ((root === "pass" || root === "passes") && kind !== "ralph") {
        return [
          warning(here, `${source} is only filled in ralph steps; for plain text, write {${source}`, { excerpt }),
        ];
      }
      const problem = problemOf(template, root, name, kind === "sub-step");
      return problem === null ? [] : [error(here, `${bare(source)} ${problem}`, { excerpt })];
    }),
    ...conditionalFindings(here, pieces),
  ];
}

/** A part that depends on a value must end, and cannot contain another one. */
function conditionalFindings(path: Path, pieces: readonly Piece[]): Finding[] {
  let open: Piece | null = null;
  let isReported = false;
  const findings: Finding[] = [];
  for (const piece of pieces) {
    isReported ||= isUnknownOpening(piece);
    if (piece.part === "closing") {
      if (open === null && !isReported) findings.push(endsNothing(path, piece));
      open = null;
      isReported = false;
    }
    if (piece.part !== "opening") continue;
    if (open !== null) {
      const message = `${bare(piece.source)} is inside ${bare(open.source)}, which does not end before it; write {/} first`;
      findings.push(error(path, message, { excerpt: piece.excerpt }));
    }
    open = piece;
  }
  if (open === null) return findings;
  return [
    ...findings,
    error(path, `${bare(open.source)} does not end; write {/} behind the part`, { excerpt: open.excerpt }),
  ];
}

/** Only a warning: it was plain text before there were such parts. */
function endsNothing(path: Path, { excerpt }: Piece): Finding {
  return warning(path, "{/} ends nothing and stays as it is; a part begins with {?name}", { excerpt });
}

function isUnknownOpening({ part, source }: Piece): boolean {
  return part === "text" && source.startsWith("{?");
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
  readonly part: "text" | "placeholder" | "opening" | "closing";
  readonly placeholder: { readonly root: PlaceholderRoot; readonly name: string } | null;
  readonly excerpt: { readonly text: string; readonly occurrence: number };
}

/** The texts in braces that are placeholders or could be meant as one, each with its place. */
function piecesOf(text: string): Piece[] {
  const seen = new Map<string, number>();
  const placed = (source: string, part: Piece["part"], placeholder: Piece["placeholder"] = null): Piece => {
    const occurrence = seen.get(source) ?? 0;
    seen.set(source, occurrence + 1);
    return { source, part, placeholder, excerpt: { text: source, occurrence } };
  };
  return parseText(text).flatMap((part) => {
    if (part.type === "text")
      return [...part.text.matchAll(/\{\??[\w.-]+\}/g)].map(([source]) => placed(source, "text"));
    return [placed(part.source, part.type, part.type === "closing" ? null : part)];
  });
}

function misspelt(template: Outline, path: Path, source: string, excerpt: Piece["excerpt"]): Finding[] {
  const meant = meantPlaceholder(template, source.replace(/^\{\??|\}$/g, ""));
  if (meant === null) {
    if (!source.startsWith("{?")) return [];
    return [
      warning(path, `${source} names no value and stays as it is; for plain text, write {${source}`, { excerpt }),
    ];
  }
  const shown = source.startsWith("{?") ? meant.replace("{", "{?") : meant;
  const message = `${source} is not a placeholder and stays as it is; did you mean ${shown}? For plain text, write {${source}`;
  return [warning(path, message, { excerpt })];
}

function problemOf(template: Outline, root: PlaceholderRoot, name: string, inLoop: boolean): string | null {
  switch (root) {
    case "project_root":
    case "pass":
    case "passes":
    case "gates":
      return null;
    case "task":
      return inLoop ? missing(name, tasksHave, "a task has") : "is only available in the sub-steps of a loop";
    case "run":
      return missing(name, runsHave, "a run has");
    case "vars":
      return missing(name, template.variables, "variables has");
    case "outputs":
      return isTaskOf(template, name) ? null : missing(name, template.stepIds, "the steps are");
  }
}

/** An output of one task, such as `build.t1`. The tasks are known only when the workflow runs. */
function isTaskOf({ loopIds, stepIds }: Outline, name: string): boolean {
  return [...(loopIds ?? [])].some((loop) => stepIds?.has(loop) === true && name.startsWith(`${loop}.`));
}

const tasksHave: ReadonlySet<string> = new Set(taskFields);
const runsHave: ReadonlySet<string> = new Set(runFields);

function missing(name: string, known: Names, whose: string): string | null {
  if (known === null || known.has(name)) return null;
  return `is unknown${known.size === 0 ? `; ${whose} none` : choices(name, known, whose)}`;
}
