import type { Difference, Differences } from "../../app/queries/compare-moments.ts";
import type { MomentFacts } from "../../app/runs/reply.ts";
import { pad } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { oneLine } from "../terminal/sanitize.ts";
import { localTime, plural } from "../terminal/wording.ts";
import { wrapText } from "../terminal/wrap-text.ts";

/** One line for each fact that changed, cut to the width of the terminal; --json has the whole values. */
export function printDifferences({ from, to, changes, gates, events }: Differences, paint: Paint): string {
  const count = Object.values(events).reduce((sum, each) => sum + each, 0);
  const head = `From event ${momentWord(from)} to event ${momentWord(to)}: ${plural(count, "event")}`;
  const rows = [
    ...changes.map((change) => [change.area, changeWord(change)] as const),
    ...gates.map(
      ({ event, what, held }) => ["gate", `${oneLine(what)} ${held ? "passed" : "failed"} (event ${event})`] as const,
    ),
  ];
  const lines = rows.map(([area, text]) => `  ${paint.dim(pad(area, 8))}  ${paint.fit(text, paint.columns - 12)}`);
  return `${wrapText(head, paint.edge)}\n${(lines.length === 0 ? ["  nothing changed"] : lines).join("\n")}\n`;
}

function momentWord({ event, type, at }: MomentFacts): string {
  return `${event} (${type}, ${localTime(at, "seconds")})`;
}

function changeWord({ name, from, to }: Difference): string {
  if (from === null) return `${name}: ${valueWord(to)}`;
  return `${name}: ${valueWord(from)} -> ${to === null ? "(gone)" : valueWord(to)}`;
}

function valueWord(value: unknown): string {
  if (typeof value !== "object" || value === null) return oneLine(String(value));
  return Object.entries(value)
    .map(([name, each]) => `${name} ${typeof each === "object" ? JSON.stringify(each) : oneLine(String(each))}`)
    .join(", ");
}
