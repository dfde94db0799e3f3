/** Every legal name is shown in full; longer texts are cut. */
const longest = 100;
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A word from outside as it may stand in a message: in quotation marks, on one line, short, nothing invisible. */
export function quote(text: string): string {
  const short = text.length > longest ? `${text.slice(0, longest).replace(/\p{Cs}$/u, "")}…` : text;
  return JSON.stringify(short).replace(unprintable, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The same without quotation marks where the word is plain enough to stand by itself. */
export function bare(text: string): string {
  return /^[^\s"\\\p{C}](?:[^"\\\p{C}\p{Zl}\p{Zp}]{0,98}[^\s"\\\p{C}])?$/u.test(text) ? text : quote(text);
}
