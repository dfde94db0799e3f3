import type { VisitLogEntry } from "../../app/queries/read-log.ts";
import type { Paint } from "../terminal/paint.ts";
import { localTime } from "../terminal/wording.ts";

/** What happened in one visit, as a person reads it: prompts and answers in full. */
export function printVisitLog(entries: readonly VisitLogEntry[], paint: Paint): string {
  return entries.map((entry) => printEntry(entry, paint)).join("");
}

function printEntry({ at, type, text, ...rest }: VisitLogEntry, paint: Paint): string {
  const head = `${paint.dim(localTime(String(at), "seconds"))}  ${paint.strong(String(type))}`;
  const facts = Object.keys(rest).length === 0 ? "" : `  ${JSON.stringify(rest)}`;
  const body = typeof text === "string" ? `\n${text.trimEnd().replace(/^/gm, "  | ")}` : "";
  return `${head}${facts}${body}\n`;
}
