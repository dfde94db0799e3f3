import { latePattern } from "../look-alike.ts";

/**
 * Characters that cannot be seen, turn the text around or move the cursor: controls, line and paragraph separators,
 * bidirectional controls, and what a renderer ignores, such as zero-width characters, variation selectors and tags. Tabs and
 * line breaks are none of these.
 */
const unseenCharacter = String.raw`[^\P{Cc}\t\n]|[\p{Cs}\p{Zl}\p{Zp}\p{DI}\ufff9-\ufffb]`;
export const unseen = latePattern(unseenCharacter, "gu");

/** ASCII, Latin letters, punctuation, arrows and signs: most texts have nothing else. */
const seen = /^[\t\n -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2070-\u2bff]*$/;

/** Scripts whose letters take another form beside a joiner. */
const joined =
  "[\\p{sc=Arab}\\p{sc=Syrc}\\p{sc=Mong}\\p{sc=Deva}\\p{sc=Beng}\\p{sc=Guru}\\p{sc=Gujr}\\p{sc=Orya}" +
  "\\p{sc=Taml}\\p{sc=Telu}\\p{sc=Knda}\\p{sc=Mlym}\\p{sc=Sinh}\\p{sc=Mymr}\\p{sc=Khmr}\\p{sc=Tibt}]";
const needed = [
  `(?<=${joined})[\\u200c\\u200d](?=${joined})`,
  "(?<=\\p{ExtPict}\\p{EMod}?\\ufe0f?)\\u200d(?=\\p{ExtPict})",
  "(?<=\\p{ExtPict})[\\ufe0e\\ufe0f]",
  "(?<=[\\d#*])\\ufe0f(?=\\u20e3)",
].join("|");
/** Almost every character can be seen, so this is asked first: what a neighbour may excuse takes three times as long. */
const needless = latePattern(`(?=${unseenCharacter})(?!${needed})[^]`, "gu");

/** Replaces every unseen character, except those that an emoji or a script cannot be read without. */
export function replaceUnseen(text: string, replace: (character: string) => string): string {
  return seen.test(text) ? text : text.replace(needless(), replace);
}

/** The same JSON, in which every character can be seen. */
export function visibleJson(json: string): string {
  return replaceUnseen(json, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** Shows as escapes what cannot be seen. */
export function reveal(text: string): string {
  return replaceUnseen(text, escapeCharacter);
}

export function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
