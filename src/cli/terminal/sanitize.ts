/** Control characters, and marks that turn the order of signs around; tabs and line ends stay. */
const steering = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;

/** Colours go without a trace; what is left of any other code can be seen. */
const colour = /(?![\t\n])\p{Cc}\[[\d;]*m/gu;

/** A text from outside that cannot move the cursor, change colours or hide what it says. */
export function sanitizeText(text: string): string {
  return text.replace(colour, "").replace(steering, "");
}

/** The same with nothing left out, for what a person is asked to agree to. */
export function revealed(text: string): string {
  return text.replace(steering, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Harmless texts everywhere inside an answer. */
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
