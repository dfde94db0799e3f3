import type { ContextReply } from "../../app/queries/read-context.ts";
import type { Paint } from "../terminal/paint.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { statusWord } from "./print-status.ts";

/** Which run it is and how it stands, what was asked for, its rules, then what was decided and what each step gave. */
export function printContext(context: ContextReply, paint: Paint): string {
  const { runId, status, summary, request = summary, outputs, decisions, shortened } = context;
  const { visit, requiredReading, keyReminders, variables } = context.rules;
  const values = Object.entries(variables).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const choices = decisions.map(({ step, what, by, text }) => {
    return `${step}: ${what}${by === null ? "" : ` by ${by}`}${text === "" ? "" : `: ${text}`}`;
  });
  const parts = [
    `${paint.strong("run")} ${runId}   ${statusWord(status, paint)}`,
    ...list("Request", request === undefined ? [] : [request], paint),
    ...list("This visit", visit, paint),
    ...list("Required reading", requiredReading, paint),
    ...list("Key reminders", keyReminders, paint),
    ...list("Variables", values, paint),
    ...list("Decisions", choices, paint),
    ...Object.entries(outputs).map(
      ([key, output]) => `${paint.strong(`Output of ${key}`)}\n${indented(output, paint)}`,
    ),
    ...list("Shortened or left out; holdfast show <event> prints them in full", shortened, paint),
  ];
  return `${parts.join("\n\n")}\n`;
}

function list(head: string, items: readonly string[], paint: Paint): string[] {
  return items.length === 0 ? [] : [[paint.strong(head), ...items.map((item) => indented(item, paint))].join("\n")];
}

function indented(text: string, paint: Paint): string {
  return wrapText(text, paint.edge - 2).replace(/^(?=.)/gm, "  ");
}
