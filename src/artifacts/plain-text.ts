import { stripVTControlCharacters } from "node:util";
import { replaceUnseen } from "../model/written/unseen-text.ts";

/** Makes a file's text safe for a model: removes invisible characters and tags that could close the frame. */
export function plainText(text: string): string {
  const lines = stripVTControlCharacters(text).replace(/\r\n?|[\u0085\u2028\u2029]/gu, "\n");
  return replaceUnseen(lines, () => "").replace(/<(?=\s*\/?\s*(?:holdfast|system))/giu, "‹");
}

export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/gu, " ").trim();
}

/** A Markdown code block whose fence does not occur in the text. */
export function fenced(text: string, language: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}
