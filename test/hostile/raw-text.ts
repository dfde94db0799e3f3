import { isRecord, parseJson } from "../../src/model/json.ts";

/** Our own colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one.
const colour = /\x1b\[[\d;]*m/g;
/**
 * What hides, turns text around or steers a terminal. Written out rather than taken from the program: controls but tab and
 * line break, soft hyphen and fillers, zero-width and directional characters, separators, tags and selectors.
 */
const raw =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|[\u{e0000}-\u{e0fff}]/gu;

/** Each such character in a text once, with a little of what is around it. */
export function rawIn(text: string): string[] {
  const found = new Map<string, string>();
  const plain = text.replace(colour, "");
  for (const { 0: character, index } of plain.matchAll(raw)) {
    const code = `U+${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
    if (!found.has(code)) found.set(code, JSON.stringify(plain.slice(Math.max(0, index - 60), index + 20)));
  }
  return found.size === 0 ? [] : [`${[...found.keys()].join(" ")} raw: ${[...found.values()][0]}`];
}

/** What a model reads of an output that is JSON, line by line. What a server adds for programs has the texts as they are. */
export function readByModels(output: string): string[] {
  return output.split("\n").flatMap((line) => textsOf(parseJson(line)));
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isRecord(value)) return [];
  const { structuredContent: _forPrograms, ...rest } = value;
  return Object.entries(rest).flatMap(([name, part]) => [name, ...textsOf(part)]);
}
