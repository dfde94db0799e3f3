import { stripVTControlCharacters } from "node:util";

/** Characters that are invisible or reverse the text. */
const invisible = /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
const control = /[^\P{Cc}\n\t]|\p{Cs}/gu;

/** Makes a file's text safe for a model: removes invisible characters and tags that could close the frame. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?|[\u0085\u2028\u2029]/gu, "\n")
    .replace(control, "")
    .replace(invisible, "")
    .replace(/<(?=\s*\/?\s*(?:holdfast|system))/giu, "‹");
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
