export const charactersPerToken = 3.2;

/** A high estimate. ASCII characters share a token; a character of another script may take one or two by itself. */
export function estimateTokens(text: string): number {
  const ascii = text.replace(/[^\x20-\x7e\n]/gu, "").length;
  return Math.ceil(ascii / charactersPerToken + ([...text].length - ascii) * 1.5);
}
