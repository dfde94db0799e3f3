import { stripVTControlCharacters } from "node:util";
import { createDisarm, pivotTag } from "../model/look-alike.ts";

/** Signs that nobody sees, that turn the text around or hide one in another: none belongs in what a model reads. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}]|[\u{E0100}-\u{E01EF}]/gu;

/** Text from state is data: one line, nothing invisible, and no tag that could close the frame it stands in. */
export function oneLine(text: string, limit: number): string {
  return clip(harmless(text).replace(/\s+/gu, " ").trim(), limit);
}

/** The same for text of several lines, each of which the caller marks as quoted. */
export function manyLines(text: string): readonly string[] {
  return text.split(/\r\n|[\n\r\u0085\u2028\u2029]/u).map((line) => harmless(line.replaceAll("\t", "  ")).trimEnd());
}

/** A value as it stands beside its name: short words as they are, everything else in quotes. */
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

function harmless(text: string): string {
  // Most texts are plain, and to look for each of the others takes longer than to see that.
  if (/^[ -;=-Z\\-~]*$/.test(text)) return text;
  const seen = stripVTControlCharacters(text)
    .replace(/[\n\r\t\u0085\u2028\u2029]/gu, " ")
    .replace(unseen, "");
  return disarm(seen).replace(/<(?=\s*\/?\s*(?:holdfast|system))/giu, "‹");
}

const disarm = createDisarm(pivotTag);
