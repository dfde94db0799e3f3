import type { Difference, Differences, PastMoment } from "../../serve/contract/query-answers.ts";
import { pad } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";
import { oneLine } from "../terminal/sanitize.ts";
import { localTime, plural } from "../terminal/wording.ts";
import { wrapText } from "../terminal/wrap-text.ts";

/** One line for each fact that changed, cut to the width of the terminal; --json has the whole values. */
export function printDifferences(differences: Differences, paint: Paint): string {
  const { from, to, changes, changesLeftOut, gates, gatesLeftOut, events } = differences;
  const count = Object.values(events).reduce((sum, each) => sum + each, 0);
  const head = `From event ${momentWord(from)} to event ${momentWord(to)}: ${plural(count, "event")}`;
  const rows = [
    ...changes.map((change) => [change.area, changeWord(change)] as const),
    ...leftOutRow("", changesLeftOut, "more change"),
    ...leftOutRow("gate", gatesLeftOut, "earlier check"),
    ...gates.map(
      ({ event, what, held }) => ["gate", `${oneLine(what)} ${held ? "passed" : "failed"} (event ${event})`] as const,
    ),
  ];
  const lines = rows.map(([area, text]) => `  ${paint.dim(pad(area, 8))}  ${paint.fit(text, paint.columns - 12)}`);
  return `${wrapText(head, paint.edge)}\n${(lines.length === 0 ? ["  nothing changed"] : lines).join("\n")}\n`;
}

function leftOutRow(area: string, count: number, what: string): readonly (readonly [string, string])[] {
  return count === 0 ? [] : [[area, `(${plural(count, what)} left out)`]];
}

function momentWord({ event, type, at }: PastMoment): string {
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
