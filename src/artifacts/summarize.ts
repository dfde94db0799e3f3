import type { Artifact } from "../model/artifact.ts";

const shownLines = 60;
const firstLines = 10;
const longestLine = 200;

/** An outline of a text: its headings, its JSON members or its first lines. */
export function summarize(type: Artifact["type"], text: string): string {
  const lines = text.split("\n");
  const count = `${lines.length} lines, ${Buffer.byteLength(text)} bytes`;
  if (type === "json") return listed(count, membersOf(JSON.parse(text) as unknown, ""));
  // A folder's text is already a summary.
  if (type === "directory") return text;
  if (type === "markdown") return listed(count, headingsOf(lines));
  return listed(`${count}; it begins:`, lines.slice(0, firstLines));
}

function listed(head: string, lines: readonly string[]): string {
  const shown = lines
    .slice(0, shownLines)
    .map((line) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line));
  const more = lines.length > shownLines ? [`and ${lines.length - shownLines} more`] : [];
  return [head, ...shown, ...more].join("\n");
}

/** Ignores lines in code blocks that look like headings. */
function headingsOf(lines: readonly string[]): string[] {
  let inCode = false;
  return lines.filter((line) => {
    if (/^\s*(```|~~~)/.test(line)) inCode = !inCode;
    return !inCode && /^#{1,6}\s/.test(line);
  });
}

/** The members of a value, two levels deep. */
function membersOf(value: unknown, indent: string): string[] {
  if (typeof value !== "object" || value === null) return [`${indent}${describeValue(value)}`];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const line = `${indent}${JSON.stringify(name)}: ${describeValue(inner)}`;
    return indent === "" && !Array.isArray(value) && isMap(inner) ? [line, ...membersOf(inner, "  ")] : [line];
  });
}

function isMap(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) {
    const count = Object.keys(value).length;
    return count === 1 ? "1 member" : `${count} members`;
  }
  return JSON.stringify(value);
}
