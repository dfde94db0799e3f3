import { type Entry, everyEntry, type Outline, textOf } from "./outline.ts";
import { type Finding, warning } from "./problem.ts";

/** The size of a file of the project in bytes; null if there is none. */
export type SizeOf = (path: string) => number | null;

/** A handoff shows more only if the rest of it leaves room. */
const longInstructions = 3_000;
const longReminders = 2_500;
const largeArtifact = 3_000;

/** Finds texts that a handoff may have to shorten. */
export function findLargeTexts(template: Outline, sizeOf: SizeOf): Finding[] {
  return [
    ...everyEntry(template).flatMap(instructionWarnings),
    ...reminderWarnings(template),
    ...template.artifacts.flatMap((artifact) => artifactWarnings(artifact, sizeOf)),
  ];
}

function instructionWarnings({ path, fields }: Entry): Finding[] {
  const { length } = textOf(fields.instructions) ?? "";
  if (length <= longInstructions) return [];
  const message = `has ${count(length)} characters; above ${count(longInstructions)}, a handoff may show only its beginning and its end`;
  return [warning([...path, "instructions"], message)];
}

function reminderWarnings({ reminders }: Outline): Finding[] {
  const length = reminders.reduce((sum, { text }) => sum + text.length, 0);
  const [first] = reminders;
  if (first === undefined || length <= longReminders) return [];
  const message = `have ${count(length)} characters in all; above ${count(longReminders)}, a handoff may shorten them`;
  return [warning(first.path.slice(0, 1), message, { at: "key" })];
}

function artifactWarnings({ path, fields }: Entry, sizeOf: SizeOf): Finding[] {
  const file = textOf(fields.path) ?? "";
  const whole = fields.load === undefined || fields.load === "full";
  const bytes = !whole || file === "" || file.includes("{") ? null : sizeOf(file);
  if (bytes === null || bytes <= largeArtifact) return [];
  const message = `has ${count(bytes)} bytes; above ${count(largeArtifact)}, a handoff may show only its beginning, an outline and its end`;
  return [warning([...path, "path"], message)];
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}
