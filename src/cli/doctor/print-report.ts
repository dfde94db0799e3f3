import type { Finding } from "../../hosts/contract/finding.ts";
import { beside, pad } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { sanitize } from "../terminal/sanitize.ts";
import { plural } from "../terminal/wording.ts";
import type { Part, Report } from "./report.ts";

export function printReport(report: Report, paint: Paint): string {
  const { version, node, project, parts } = sanitize(report);
  const head = beside(`${paint.strong(`Holdfast ${version}`)} · `, `Node ${node} · ${project}`, paint.edge);
  const width = Math.max(...parts.flatMap(({ findings }) => findings.map(({ name }) => name.length)));
  const problems = parts.flatMap(({ findings }) => findings).filter(({ status }) => status === "mend").length;
  const verdict = problems === 0 ? paint.good("no problems found") : paint.bad(`${plural(problems, "problem")} to fix`);
  return `${head}${parts.map((part) => printPart(part, width, paint)).join("")}${verdict}\n`;
}

function printPart({ title, findings }: Part, width: number, paint: Paint): string {
  return `${paint.strong(title)}\n${findings.map((finding) => printFinding(finding, width, paint)).join("")}`;
}

function printFinding({ name, status, message, next }: Finding, width: number, paint: Paint): string {
  const marks = { well: paint.good("✓"), note: paint.dim("·"), mend: paint.bad("✗") };
  const line = beside(`  ${marks[status]} ${pad(name, width)}  `, message, paint.edge);
  return next === undefined ? line : `${line}${beside(`    ${pad("", width)}  Next   `, next, paint.edge)}`;
}
