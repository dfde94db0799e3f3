import { stripVTControlCharacters } from "node:util";

/** Emoji and the scripts of East Asia take two columns each sign. */
const wide =
  /^[\p{Emoji_Presentation}\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{4dbf}\u{4e00}-\u{a4cf}\u{a960}-\u{a97c}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}]/u;

/** Accents, joiners and the like are drawn over the sign before them. */
const joined = /^(\p{M}|\u{200d})/u;

/** How many columns a text takes on a terminal; colours take none. */
export function widthOf(text: string): number {
  const shown = stripVTControlCharacters(text);
  if (/^[\x20-\x7e]*$/.test(shown)) return shown.length;
  return [...shown].reduce((sum, sign) => sum + widthOfSign(sign), 0);
}

function widthOfSign(sign: string): number {
  if (joined.test(sign)) return 0;
  return wide.test(sign) ? 2 : 1;
}

/** The text if there is room for it, else its beginning and a mark. For texts without colours. */
export function clip(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  let kept = "";
  let left = Math.max(room, 1) - 1;
  for (const sign of text) {
    left -= widthOfSign(sign);
    if (left < 0) break;
    kept += sign;
  }
  return `${kept.trimEnd()}…`;
}

export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

/** One text at each end of a line; null when they do not fit side by side. */
export function bothEnds(left: string, right: string, columns: number): string | null {
  const gap = columns - widthOf(left) - widthOf(right);
  return gap < 3 ? null : left + " ".repeat(gap) + right;
}

/** Words in lines, none wider than the terminal; every line but one that is begun already starts with the indent. */
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

/** A name, and beside it a text that goes on below itself. */
export function beside(name: string, text: string, columns: number): string {
  const width = widthOf(name);
  const indent = " ".repeat(width < columns / 2 ? width : 4);
  const [first = "", ...words] = text.split(" ");
  const lines = wrap(words, { columns, indent, begin: `${name}${first}` });
  return `${lines.join("\n").trimEnd()}\n`;
}

/** Rows of cells, each column as wide as its widest cell up to `most`; a wider cell pushes its own row only. */
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
    return beside(`  ${before.join("")}`, row.at(-1) ?? "", edge ?? Number.POSITIVE_INFINITY);
  });
  return lines.join("");
}

interface TableLimits {
  readonly most: number;
  /** Where the last column must end; what is longer goes on below. */
  readonly edge: number;
}

/** Facts with their names before them: `Next   read the status`. */
export function facts(rows: readonly (readonly [name: string, fact: string])[], columns: number): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, fact]) => beside(`  ${name.padEnd(width)}   `, fact, columns)).join("");
}
