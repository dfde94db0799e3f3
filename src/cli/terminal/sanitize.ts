import { latePattern } from "../../model/look-alike.ts";
import { escapeCharacter, replaceUnseen, unseen } from "../../model/written/unseen-text.ts";

/** Colour codes are removed completely; of other escape codes the visible rest stays. */
const colour = latePattern(String.raw`(?![\t\n])\p{Cc}\[[\d;]*m`, "gu");

/** Removes what could move the cursor, change colours, turn text around or hide in a string from outside. */
export function sanitizeText(text: string): string {
  // Most texts are plain ASCII.
  return /^[\t\n -~]*$/.test(text) ? text : replaceUnseen(text.replace(colour(), ""), spaceOrNothing);
}

/** Shows every such character as an escape instead of removing it, for texts that a person is asked to approve. */
export function revealed(text: string): string {
  return text.replace(unseen(), escapeCharacter);
}

/** For everything that is printed, in case a printer has forgotten a text: only our own colours pass. */
export function sanitizeOutput(text: string): string {
  return text
    .split(ownColour)
    .map((part, index) => (index % 2 === 1 ? part : replaceUnseen(part, spaceOrNothing)))
    .join("");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one.
const ownColour = /(\x1b\[[\d;]*m)/;

function spaceOrNothing(character: string): string {
  return /[\u2028\u2029]/.test(character) ? " " : "";
}

/** Sanitizes every string inside a value, or changes it in another way. */
export function sanitize<T>(value: T, change?: (text: string) => string): T;
export function sanitize(value: unknown, change = sanitizeText): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => sanitize(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [change(name), sanitize(part, change)]));
}

export function oneLine(text: string): string {
  return sanitizeText(text).replace(/\s+/g, " ").trim();
}
