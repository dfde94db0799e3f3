/** Signs that nobody sees, and that could change how a terminal or a reader takes what is beside them. */
const invisible = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/gu;

export function visible(text: string): string {
  return text.replace(invisible, "");
}

/** The words of a line without what makes them bold, or all of them slanted or code. */
export function plainWords(text: string): string {
  const clean = visible(text.replaceAll("\t", " "))
    .replaceAll("**", "")
    .replace(/^[* ]+/, "")
    .trimEnd();
  return /^([_`])[^_`]+\1$/.test(clean) ? clean.slice(1, -1).trim() : clean;
}
