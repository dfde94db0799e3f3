import { latePattern } from "../model/look-alike.ts";

/** Invisible characters, some of which change how the text around them is displayed. */
const invisible = latePattern(
  String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]`,
  "gu",
);

export function stripInvisible(text: string): string {
  return /^[ -~]*$/.test(text) ? text : text.replace(invisible(), "");
}

/** Removes Markdown's bold marks, and italics or code marks that enclose the whole line. */
export function stripMarkup(text: string): string {
  const clean = stripInvisible(text.replaceAll("\t", " "))
    .replaceAll("**", "")
    .replace(/^[* ]+/, "")
    .trimEnd();
  return /^([_`])[^_`]+\1$/.test(clean) ? clean.slice(1, -1).trim() : clean;
}
