import { stripVTControlCharacters } from "node:util";
import { createDisarm, latePattern, pivotTag } from "../model/look-alike.ts";

/** Control, format and surrogate characters, fillers and selectors: they are invisible, reverse the text or hide others. */
const invisible = latePattern(String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{DI}]`, "gu");

/** Text from state is data: returns it as one line, without invisible characters or tags that could close the frame. */
export function oneLine(text: string, limit: number): string {
  return clip(sanitize(text).replace(/\s+/gu, " ").trim(), limit);
}

/** The same for multi-line text; the caller marks each line as quoted. */
export function manyLines(text: string): readonly string[] {
  return text.split(/\r\n|[\n\r\u0085\u2028\u2029]/u).map((line) => sanitize(line.replaceAll("\t", "  ")).trimEnd());
}

/** A value to print beside its name: single words as they are, other strings in quotes. */
export function valueText(value: unknown, limit: number): string {
  const text = typeof value === "string" ? value : String(JSON.stringify(value));
  const line = oneLine(text, limit);
  const plain = typeof value !== "string" || /^[\w./:@+-]+$/u.test(line);
  return plain ? line : JSON.stringify(line);
}

export function clip(text: string, limit: number): string {
  const characters = text.length <= limit ? null : [...text];
  return characters === null || characters.length <= limit ? text : `${characters.slice(0, limit - 1).join("")}…`;
}

function sanitize(text: string): string {
  // Most texts are plain ASCII, and this one check is cheaper than the replacements below.
  if (/^[ -;=-Z\\-~]*$/.test(text)) return text;
  const visible = stripVTControlCharacters(text)
    .replace(/[\n\r\t\u0085\u2028\u2029]/gu, " ")
    .replace(invisible(), "");
  return disarm(visible).replace(/<(?=\s*\/?\s*(?:holdfast|system))/giu, "‹");
}

const disarm = createDisarm(pivotTag);

/** A text with every line marked. Beyond the limit its beginning and its end, and between them how much was left out. */
export function quoteEnds(text: string, most: number, left: string): string {
  if (text.length <= most) return quoteLines(text);
  // The cut may split a surrogate pair.
  const head = text.slice(0, most * 0.7).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(-most * 0.3).replace(/^[\udc00-\udfff]/, "");
  const gone = text.length - head.length - tail.length;
  return [quoteLines(head), `  [${gone} characters left out${left}]`, quoteLines(tail)].join("\n");
}

function quoteLines(text: string): string {
  return manyLines(text)
    .map((line) => `  | ${line}`.trimEnd())
    .join("\n");
}

export function rest(count: number, file: string | null): string[] {
  return count > 0 ? [`  and ${count} more${pointer(file)}`] : [];
}

export function pointer(file: string | null): string {
  return file === null ? "" : `: read @${file}`;
}

export function quoted(text: string, most: number): string {
  return JSON.stringify(oneLine(text, most));
}
