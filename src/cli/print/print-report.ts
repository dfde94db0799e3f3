import type { StepReport } from "../../app/digest/count-run.ts";
import type { RunReport } from "../../app/queries/report-run.ts";
import { pad, widthOf } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { oneLine } from "../terminal/sanitize.ts";

const columns = ["step", "visits", "time", "turns", "tokens", "cost", "retries", "gates"] as const;

/** A table for the terminal. */
export function printReport(report: RunReport, paint: Paint): string {
  const rows = [columns, ...rowsOf(report)];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? pad(cell, widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
  const [head = "", ...rest] = lines;
  return `${aboutLines(report).join("\n")}\n\n${paint.strong(head)}\n${rest.join("\n")}\n`;
}

/** The same for a pull request. */
export function printReportMarkdown(report: RunReport): string {
  const cells = (row: readonly string[]) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const rule = columns.map((_, column) => (column === 0 ? "---" : "---:"));
  const [title = "", ...about] = aboutLines(report);
  const table = [columns, rule, ...rowsOf(report)].map(cells);
  return `### ${title}\n\n${about.join("\n")}\n\n${table.join("\n")}\n`;
}

function aboutLines({ runId, workflow, summary, status, agents }: RunReport): string[] {
  const title = summary === null ? workflow : `${workflow}: ${oneLine(summary)}`;
  return [title, `${status}, run ${runId}`, ...(agents.length === 0 ? [] : [`by ${agents.map(oneLine).join(", ")}`])];
}

function rowsOf({ steps, total }: RunReport): string[][] {
  return [...steps.map((step) => [step.step, ...numbersOf(step)]), ["total", ...numbersOf(total)]];
}

function numbersOf({ visits, minutes, turns, tokens, cost, retries, ...gates }: Omit<StepReport, "step">): string[] {
  const { gatesPassed, gatesFailed } = gates;
  const checked = gatesPassed + gatesFailed === 0 ? "" : `${gatesPassed}/${gatesPassed + gatesFailed}`;
  return [
    String(visits),
    durationOf(minutes),
    String(turns),
    tokens === 0 ? "" : String(tokens),
    cost === 0 ? "" : `$${cost.toFixed(cost < 1 ? 4 : 2)}`,
    retries === 0 ? "" : String(retries),
    checked,
  ];
}

function durationOf(minutes: number): string {
  const seconds = Math.round(minutes * 60);
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3_600 ? `${Math.round(minutes)} min` : `${(minutes / 60).toFixed(1)} h`;
}
