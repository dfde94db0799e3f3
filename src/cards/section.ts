import { fieldOf, linesOf, type Section } from "./workflow-text.ts";

/** Whether a text has a marker in a heading or in capitals, or a `Workflow:` or `Phase:` line. */
export function mentionsWorkflow(text: string, markers: readonly string[]): boolean {
  if (markers.some((marker) => marker !== "" && text.includes(marker.toUpperCase()))) return true;
  const lines = linesOf(text);
  return lines.some((line, index) => {
    const key = fieldOf(line)?.key;
    return key === "workflow" || key === "phase" || markedLevel(line, lines[index + 1] ?? "", markers) !== null;
  });
}

/** The lines under the heading with a marker, up to the next heading of its level; without one, the whole text. */
export function sectionOf(text: string, markers: readonly string[]): Section {
  const lines = linesOf(text);
  const next = (index: number) => lines[index + 1] ?? "";
  const from = lines.findIndex((line, index) => markedLevel(line, next(index), markers) !== null);
  if (from === -1) return { from: 0, to: lines.length };
  const level = headingLevel(lines[from] ?? "", next(from)) ?? 1;
  const to = lines.findIndex((line, index) => index > from && (headingLevel(line, next(index)) ?? 7) <= level);
  return { from, to: to === -1 ? lines.length : to };
}

function markedLevel(line: string, next: string, markers: readonly string[]): number | null {
  const words = line.toLowerCase();
  return markers.some((marker) => marker !== "" && words.includes(marker.toLowerCase()))
    ? headingLevel(line, next)
    : null;
}

/** A Markdown heading starts with `#` or is underlined with `=` or `-`. */
function headingLevel(line: string, next: string): number | null {
  const hashes = /^ {0,3}(#{1,6})(?=\s|$)/.exec(line)?.[1];
  if (hashes !== undefined) return hashes.length;
  if (line.trim() === "") return null;
  if (/^ {0,3}={3,}\s*$/.test(next)) return 1;
  return /^ {0,3}-{3,}\s*$/.test(next) ? 2 : null;
}
