import type { LintedFile, WorkflowRow } from "../../app/queries/inspect-workflows.ts";
import type { RunList, RunRow } from "../../app/queries/list-runs.ts";
import type { Graph, GraphChecks, GraphStep } from "../../app/queries/workflow-graph.ts";
import { beside, pad, table, widthOf } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { oneLine } from "../terminal/sanitize.ts";
import { localTime, plural } from "../terminal/wording.ts";
import { statusWord } from "./print-status.ts";

export function printWorkflows(rows: readonly WorkflowRow[], paint: Paint): string {
  const width = Math.max(0, ...rows.map((row) => widthOf(row.name)));
  return rows
    .map(({ name, origin, description, steps, shadows, extends: bases, valid }) => {
      const names = bases.map((base) => (base.origin === "built-in" ? `the built-in ${base.name}` : base.name));
      const over = names.length === 0 ? "" : `, extends ${names.join(", which extends ")}`;
      const where = `${origin}${shadows ? ", overrides the built-in one" : ""}${over}`;
      const facts = valid ? paint.dim(`(${plural(steps, "step")}, ${where})`) : `(${where})`;
      const what = valid ? oneLine(description) : paint.bad("has problems; run holdfast lint");
      return beside(`${paint.strong(pad(name, width))}  `, `${what} ${facts}`, paint.edge);
    })
    .join("");
}

/** A longer path only shifts its own row, so that the other messages stay close. */
const widestPath = 24;

export function printLint({ files }: { readonly files: readonly LintedFile[] }, paint: Paint): string {
  if (files.length === 0) return "no workflows in .holdfast/workflows to check\n";
  const found = byFile(files);
  const blocks = found.filter((file) => file.problems.length > 0).map((file) => lintBlock(file, paint));
  return `${blocks.join("")}${verdictOn(found, paint)}\n`;
}

/** A problem of a workflow that others extend is shown once, under its own file. */
function byFile(files: readonly LintedFile[]): readonly LintedFile[] {
  const groups = new Map(files.map(({ file }) => [file, new Map<string, Problem>()]));
  for (const linted of files) {
    for (const { file = linted.file, ...problem } of linted.problems) {
      const group = groups.get(file) ?? new Map<string, Problem>();
      groups.set(file, group.set(JSON.stringify(problem), problem));
    }
  }
  return [...groups].map(([file, problems]) => ({ file, problems: [...problems.values()] }));
}

type Problem = LintedFile["problems"][number];

function verdictOn(files: readonly LintedFile[], paint: Paint): string {
  const problems = files.flatMap((file) => file.problems);
  if (problems.length === 0) return paint.good(`${plural(files.length, "file")}, no problems`);
  const errors = problems.filter((problem) => problem.severity === "error").length;
  const warnings = problems.length - errors;
  const counts = [plural(errors, "problem"), ...(warnings > 0 ? [plural(warnings, "warning")] : [])].join(", ");
  return errors > 0 ? paint.bad(counts) : counts;
}

function lintBlock({ file, problems }: LintedFile, paint: Paint): string {
  const rows = problems.map(({ position, path, message, severity }) => [
    position === null ? "" : `${position.line}:${position.column}`,
    path,
    severity === "warning" ? `${paint.dim("warning:")} ${message}` : message,
  ]);
  return `${paint.strong(file)}\n${table(rows, { most: widestPath, edge: paint.edge })}`;
}

/** More are printed only on request. */
const mostRuns = 50;

export function printRuns({ runs, damaged, shared }: RunList, paint: Paint, all = false): string {
  const rows = all ? runs : runs.slice(0, mostRuns);
  const left = runs.length - rows.length + (shared?.more ?? 0);
  const older = `${shared?.moreThan ? "more than " : ""}${plural(left, "older run")}`;
  const elsewhere = rows.filter(({ here }) => here === false).length;
  const notes = [
    ...(left === 0 ? [] : [`${older} not shown; see them with: holdfast runs --all`]),
    ...(elsewhere === 0 ? [] : ["* not worked on here: go on with it by its id: holdfast next --run <id>"]),
    ...(shared?.problem === undefined ? [] : [copiesNote(shared.asOf ?? null, shared.problem)]),
  ];
  const next = shared?.next === undefined ? "" : beside("  Next   ", shared.next, paint.edge);
  const more = notes.map((note) => paint.dim(beside("", note, paint.edge))).join("") + next;
  const unreadable = damaged.map(
    ({ runId, problem, next, tracked }) =>
      beside(`${runId}  ${paint.bad(tracked ? "not used" : "damaged")}  `, problem, paint.edge) +
      beside("  Next   ", next, paint.edge),
  );
  const isEmpty = rows.length === 0 && (damaged.length > 0 || shared?.problem !== undefined);
  return (isEmpty ? "" : readable(rows, paint)) + more + unreadable.join("");
}

function copiesNote(asOf: string | null, problem: string): string {
  const since = asOf === null ? "" : ` as of ${localTime(asOf, "minutes")}`;
  return `these are the copies here${since}: ${problem}`;
}

/** With fewer columns left, the summary goes on a line of its own. */
const leastSummary = 10;
const widestStep = 24;

/** One line per run. On a narrow terminal the summary goes below it, and if necessary the time as well. */
function readable(rows: readonly RunRow[], paint: Paint): string {
  if (rows.length === 0) return "no runs yet; start one with: holdfast start <workflow>\n";
  const nameOf = ({ runId, here }: RunRow) => (here === false ? `${runId} *` : runId);
  const ids = linesOf(rows.map((row) => [nameOf(row), statusWord(row.status, paint)]));
  const stepRoom = Math.min(widestStep, paint.edge - widestOf(ids) - 2);
  const named = rows.map((row) => [nameOf(row), statusWord(row.status, paint), paint.fit(row.step, stepRoom)]);
  const timed = rows.map(({ updatedAt }, index) => [...(named[index] ?? []), timeOf(updatedAt, paint)]);
  const [bare, whole] = [linesOf(named), linesOf(timed)];
  const widest = widestOf(whole);
  return rows
    .map(({ updatedAt, summary }, index) => {
      const line = whole[index] ?? "";
      if (widest + 2 + leastSummary <= paint.edge) return `${summarized(line, summary, paint)}\n`;
      if (widest > paint.edge)
        return `${bare[index]}\n${summarized(`      ${timeOf(updatedAt, paint)}`, summary, paint)}\n`;
      return `${line}\n${summary === null ? "" : `${summarized("    ", summary, paint)}\n`}`;
    })
    .join("");
}

function timeOf(updatedAt: string, paint: Paint): string {
  return paint.dim(localTime(updatedAt, "minutes"));
}

function linesOf(rows: readonly (readonly string[])[]): string[] {
  return table(rows).trimEnd().split("\n");
}

function widestOf(lines: readonly string[]): number {
  return lines.reduce((widest, line) => Math.max(widest, widthOf(line)), 0);
}

function summarized(line: string, summary: string | null, paint: Paint): string {
  return summary === null ? line : `${line}  ${paint.fit(summary, paint.columns - widthOf(line) - 2)}`;
}

/** One line per step, and below it what its work needs: gates, approvals, context actions, and the sub-steps of a loop. */
export function printGraph(graph: Graph, paint: Paint): string {
  const { steps } = graph;
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(widthOf));
  const phases = steps.map(({ id, phase }) => (phase === id ? "" : phase));
  const widths = [widest(steps.map(({ id }) => id)), widest(steps.map(({ type }) => type)), widest(phases)] as const;
  const lines = steps.map((step, index) => {
    const cells = [pad(step.id, widths[0]), pad(step.type, widths[1]), pad(phases[index] ?? "", widths[2])];
    return beside(`  ${cells.join("  ")}  `, waysOf(graph, step.id), paint.edge) + detailsOf(step, paint);
  });
  return `${graph.name}\n${lines.join("")}`;
}

function detailsOf(step: GraphStep, paint: Paint): string {
  const { command, tasks, parallel, passes, until, subSteps } = step;
  const ends = until.length === 0 ? "" : `, or until: ${until.join("; ")}`;
  const own = [
    ...(command === null ? [] : [`runs: ${command}`]),
    ...(tasks === null ? [] : [tasks]),
    ...(parallel === null ? [] : [`up to ${parallel} tasks at a time`]),
    ...(passes === null ? [] : [`up to ${passes} times${ends}`]),
    ...checksText(step),
  ];
  const below = subSteps.map((subStep) => [subStep.id, ...checksText(subStep)].join("; "));
  const texts = [...(own.length === 0 ? [] : [own.join("; ")]), ...below];
  return texts.map((text) => beside("    - ", text.replace(/\s+/g, " "), paint.edge)).join("");
}

function checksText({ when, context, gates, approval, hints }: GraphChecks): string[] {
  return [
    ...(when === null ? [] : [`when: ${when}`]),
    ...(context === null ? [] : [`/${context} first`]),
    ...gates.map((gate) => `gate: ${gate}`),
    ...(approval ? ["a person approves"] : []),
    ...hints,
  ];
}

export function printMermaid({ steps, moves }: Graph): string {
  const ids = new Map([...steps.map((step) => step.id), "complete", "fail"].map((id, index) => [id, `s${index}`]));
  const shapes = steps.map((step) => {
    const type = step.parallel === null ? step.type : `${step.type}, parallel ${step.parallel}`;
    const title = step.type === "action" ? step.id : `${step.id} (${type})`;
    // Names only: the text of a command could hold anything, and a chart is shown as HTML.
    const below = step.subSteps.map((subStep) => [subStep.id, ...signsOf(subStep)].join(" "));
    return `  ${ids.get(step.id)}${box([[title, ...signsOf(step)].join(" "), ...below].join("<br/>"))}\n`;
  });
  const ends = ["complete", "fail"].filter((end) => moves.some((move) => move.to === end));
  const arrows = moves.map(
    ({ from, to, outcome, context }) =>
      `  ${ids.get(from)} -->${labelOf([outcome ?? "", context === null ? "" : `/${context}`])} ${ids.get(to)}\n`,
  );
  return `flowchart TD\n${shapes.join("")}${ends.map((end) => `  ${ids.get(end)}([${quote(end)}])\n`).join("")}${arrows.join("")}`;
}

function signsOf({ when, context, gates, approval }: GraphChecks): string[] {
  const signs = [
    when === null ? "" : "when",
    context === null ? "" : `/${context}`,
    gates.length > 0 ? "gate" : "",
    approval ? "approval" : "",
  ];
  return signs.filter((sign) => sign !== "").map((sign) => `[${sign}]`);
}

function labelOf(parts: readonly string[]): string {
  const label = parts.filter((part) => part !== "").join(" ");
  return label === "" ? "" : `|${quote(label)}|`;
}

function waysOf({ moves }: Graph, id: string): string {
  const ways = moves.filter((move) => move.from === id);
  return ways
    .map(({ to, outcome, context }) => {
      const way = outcome === null ? `→ ${to}` : `${outcome} → ${to}`;
      return context === null ? way : `${way} after /${context}`;
    })
    .join(", ");
}

const box = (label: string) => `[${quote(label)}]`;
const quote = (label: string) => `"${label.replaceAll('"', "#quot;")}"`;
