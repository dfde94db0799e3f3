import { stripVTControlCharacters } from "node:util";
import { latePattern } from "../../model/look-alike.ts";

/** Emoji and East Asian characters take two columns each. */
const wide = latePattern(
  String.raw`^[\p{Emoji_Presentation}\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{4dbf}\u{4e00}-\u{a4cf}\u{a960}-\u{a97c}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}]`,
  "u",
);

/** Combining marks and joiners take no column of their own. */
const joined = latePattern(String.raw`^(\p{M}|\u{200d})`, "u");

/** The number of columns a text takes on a terminal; escape codes take none. */
export function widthOf(text: string): number {
  const shown = stripVTControlCharacters(text);
  if (/^[\x20-\x7e]*$/.test(shown)) return shown.length;
  return [...shown].reduce((sum, character) => sum + widthOfCharacter(character), 0);
}

function widthOfCharacter(character: string): number {
  if (joined().test(character)) return 0;
  return wide().test(character) ? 2 : 1;
}

/** Cuts a text to `room` columns and marks the cut with an ellipsis. The text must have no colours. */
export function clip(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  let kept = "";
  let left = Math.max(room, 1) - 1;
  for (const character of text) {
    left -= widthOfCharacter(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** One text at each end of a line; null if they do not fit on one line. */
export function bothEnds(left: string, right: string, columns: number): string | null {
  const gap = columns - widthOf(left) - widthOf(right);
  return gap < 3 ? null : left + " ".repeat(gap) + right;
}

/** Wraps words into lines. Each line starts with the indent, except a first line that `begin` supplies. */
export function wrap(words: readonly string[], { columns, indent, between = " ", begin }: Wrapping): string[] {
  const lines: string[] = begin === undefined ? [] : [begin];
  for (const word of words) {
    const last = lines.at(-1);
    const longer = last === undefined ? null : `${last}${between}${word}`;
    if (longer === null || widthOf(longer) > columns) lines.push(`${indent}${word}`);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

interface Wrapping {
  readonly columns: number;
  readonly indent: string;
  readonly between?: string;
  readonly begin?: string;
}

/** A name followed by a text; the wrapped lines of the text are aligned below its first line. */
export function beside(name: string, text: string, columns: number): string {
  const width = widthOf(name);
  const indent = " ".repeat(width < columns / 2 ? width : 4);
  const [first = "", ...words] = text.split(" ");
  const lines = wrap(words, { columns, indent, begin: `${name}${first}` });
  return `${lines.join("\n").trimEnd()}\n`;
}

/** Rows of cells. A column is as wide as its widest cell, up to `most`; a wider cell only shifts its own row. */
export function table(rows: readonly (readonly string[])[], { most, edge }: Partial<TableLimits> = {}): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      const width = widthOf(cell);
      widths[column] = Math.max(widths[column] ?? 0, width > (most ?? width) ? 0 : width);
    }
  }
  const lines = rows.map((row) => {
    const before = row.slice(0, -1).map((cell, column) => `${pad(cell, widths[column] ?? 0)}  `);
    return lastCell(`  ${before.join("")}`, row.at(-1) ?? "", edge ?? Number.POSITIVE_INFINITY);
  });
  return lines.join("");
}

/** Beside cells that take half of the line, a longer text would wrap after a word or two: it goes below them. */
function lastCell(before: string, text: string, edge: number): string {
  const width = widthOf(before);
  if (width < edge / 2 || width + widthOf(text) <= edge) return beside(before, text, edge);
  return `${[before.trimEnd(), ...wrap(text.split(" "), { columns: edge, indent: "      " })].join("\n")}\n`;
}

interface TableLimits {
  readonly most: number;
  /** Where the last column must end; longer cells wrap. */
  readonly edge: number;
}

/** Labelled lines, such as `Next   read the status`. */
export function facts(rows: readonly (readonly [name: string, fact: string])[], columns: number): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, fact]) => beside(`  ${name.padEnd(width)}   `, fact, columns)).join("");
}
