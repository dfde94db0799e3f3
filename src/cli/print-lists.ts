import type { Graph, LintedFile, WorkflowRow } from "../app/inspect-workflows.ts";
import type { RunRow } from "../app/list-runs.ts";
import type { RunEvent } from "../model/event.ts";
import type { Paint } from "./paint.ts";

export function printWorkflows(rows: readonly WorkflowRow[], paint: Paint): string {
  const width = Math.max(0, ...rows.map((row) => row.name.length));
  return rows
    .map(({ name, origin, description, steps, shadows, valid }) => {
      const where = shadows ? `${origin}, in place of the built-in one` : origin;
      const what = valid
        ? `${description} ${paint.dim(`(${steps} steps, ${where})`)}`
        : paint.bad("has problems; see holdfast lint");
      return `${paint.strong(name.padEnd(width))}  ${what}\n`;
    })
    .join("");
}

export function printLint({ files }: { readonly files: readonly LintedFile[] }, paint: Paint): string {
  const problems = files.flatMap((file) => file.problems);
  const errors = problems.filter((problem) => problem.severity === "error").length;
  const blocks = files.filter((file) => file.problems.length > 0).map((file) => lintBlock(file, paint));
  const warnings = problems.length - errors;
  const counts = [plural(errors, "problem"), ...(warnings > 0 ? [plural(warnings, "warning")] : [])];
  const verdict =
    problems.length === 0 ? paint.good(`${plural(files.length, "file")}, no problems`) : counts.join(", ");
  return `${blocks.join("")}${verdict}\n`;
}

function lintBlock({ file, problems }: LintedFile, paint: Paint): string {
  const rows = problems.map(({ position, path, message, severity }) => [
    position === null ? "" : `${position.line}:${position.column}`,
    path,
    severity === "warning" ? `${paint.dim("warning:")} ${message}` : message,
  ]);
  return `${paint.strong(file)}\n${table(rows)}`;
}

export function printRuns(rows: readonly RunRow[], paint: Paint): string {
  if (rows.length === 0) return "no runs yet; holdfast start <workflow> begins one\n";
  return table(
    rows.map(({ runId, status, step, summary, updatedAt }) => [
      runId,
      status,
      step,
      paint.dim(updatedAt.slice(0, 16).replace("T", " ")),
      summary ?? "",
    ]),
  );
}

export function printEvents(events: readonly RunEvent[], paint: Paint): string {
  return events.map((event) => printEvent(event, paint)).join("");
}

/** One line per event: number, time, what happened, the facts in short. */
function printEvent(event: RunEvent, paint: Paint): string {
  const { seq, at, type, ...facts } = event;
  const short = Object.entries(facts)
    .filter(([name, value]) => value !== null && !["place", "fingerprint", "key"].includes(name))
    .map(([name, value]) => `${name}=${clip(typeof value === "string" ? value : JSON.stringify(value))}`)
    .join(" ");
  return `${String(seq).padStart(5)}  ${paint.dim(at.slice(0, 19).replace("T", " "))}  ${paint.strong(type)}  ${short}\n`;
}

export function printGraph(graph: Graph): string {
  const steps = graph.steps.map(({ id, type, phase }) => [id, type, phase === id ? "" : phase, waysOf(graph, id)]);
  return `${graph.name}\n${table(steps)}`;
}

export function printMermaid({ steps, moves }: Graph): string {
  const ids = new Map([...steps.map((step) => step.id), "complete", "fail"].map((id, index) => [id, `s${index}`]));
  const shapes = steps.map(
    ({ id, type }) => `  ${ids.get(id)}${type === "action" ? box(id) : box(`${id} (${type})`)}\n`,
  );
  const ends = ["complete", "fail"].filter((end) => moves.some((move) => move.to === end));
  const arrows = moves.map(
    ({ from, to, outcome }) =>
      `  ${ids.get(from)} -->${outcome === null ? "" : `|${quote(outcome)}|`} ${ids.get(to)}\n`,
  );
  return `flowchart TD\n${shapes.join("")}${ends.map((end) => `  ${ids.get(end)}([${quote(end)}])\n`).join("")}${arrows.join("")}`;
}

function waysOf({ moves }: Graph, id: string): string {
  const ways = moves.filter((move) => move.from === id);
  return ways.map(({ to, outcome }) => (outcome === null ? `→ ${to}` : `${outcome} → ${to}`)).join(", ");
}

const box = (label: string) => `[${quote(label)}]`;
const quote = (label: string) => `"${label.replaceAll('"', "#quot;")}"`;

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function clip(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd())
    .map((line) => `${line}\n`)
    .join("");
}
