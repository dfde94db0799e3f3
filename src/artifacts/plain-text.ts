import { stripVTControlCharacters } from "node:util";

/** Signs that nobody sees, or that turn the text around: none of them belongs in what a model reads. */
const unseen = /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
const control = /[^\P{Cc}\n\t]|\p{Cs}/gu;

/** Text of a file as a model may read it: nothing invisible, and no tag that could close the frame it stands in. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?|[\u0085\u2028\u2029]/gu, "\n")
    .replace(control, "")
    .replace(unseen, "")
    .replace(/<(?=\s*\/?\s*(?:holdfast|system))/giu, "‹");
}

export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/gu, " ").trim();
}

/** The text between two marks that do not occur in it. */
export function fenced(text: string, language: string): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}
