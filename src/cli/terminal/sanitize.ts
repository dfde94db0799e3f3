/** Control characters and bidirectional overrides; tabs and line breaks are allowed. */
const unsafe = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;

/** Colour codes are removed completely; of other escape codes the visible rest stays. */
const colour = /(?![\t\n])\p{Cc}\[[\d;]*m/gu;

/** Removes what could move the cursor, change colours or hide text in a string from outside. */
export function sanitizeText(text: string): string {
  return text.replace(colour, "").replace(unsafe, "");
}

/** Shows control characters as escapes instead of removing them, for texts that a person is asked to approve. */
export function revealed(text: string): string {
  return text.replace(unsafe, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Sanitizes every string inside a value. */
export function sanitize<T>(value: T): T;
export function sanitize(value: unknown): unknown {
  if (typeof value === "string") return sanitizeText(value);
  if (Array.isArray(value)) return value.map((item) => sanitize(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, sanitize(part)]));
}

export function oneLine(text: string): string {
  return sanitizeText(text).replace(/\s+/g, " ").trim();
}
