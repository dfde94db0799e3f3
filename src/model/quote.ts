import { latePattern } from "./look-alike.ts";

/** The longest valid name; longer texts are truncated. */
const longest = 100;
/** Of what a renderer ignores, only the selectors of emoji are printed. */
const unprintable = latePattern(String.raw`[\p{C}\p{Zl}\p{Zp}]|(?![\ufe0e\ufe0f])\p{DI}`, "gu");

/** Quotes input for a message: on one line, truncated, with invisible characters escaped. */
export function quote(text: string): string {
  const short = text.length > longest ? `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, "")}…` : text;
  return JSON.stringify(short).replace(unprintable(), (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Somebody else's text within a sentence of ours: what stands on a line of its own could be taken for ours. */
export function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Like `quote`, but without quotation marks if the text is plain enough. */
export function bare(text: string): string {
  return /^[^\s"\\](?:[^"\\]{0,98}[^\s"\\])?$/u.test(text) && text.search(unprintable()) === -1 ? text : quote(text);
}

/** A word of a command line that a person may paste: a name from a repository must not add a command to it. */
export function shellWord(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function joinWords(words: readonly string[], last: "or" | "and"): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1) ?? ""}`;
}
