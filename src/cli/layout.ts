import { stripVTControlCharacters } from "node:util";

/** Emoji and the scripts of East Asia take two columns, except their narrow forms. */
const wide =
  /^(?![\u{ff61}-\u{ffdc}])[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u{3000}-\u{303e}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}]/u;

/** How many columns a text takes on a terminal; colours take none. */
export function widthOf(text: string): number {
  const shown = stripVTControlCharacters(text);
  if (/^[\x20-\x7e]*$/.test(shown)) return shown.length;
  return signsOf(shown).reduce((sum, sign) => sum + (wide.test(sign) ? 2 : 1), 0);
}

/** The text if there is room for it, else its beginning and a mark. For texts without colours. */
export function clip(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  let kept = "";
  let left = Math.max(room, 1) - 1;
  for (const sign of signsOf(text)) {
    left -= wide.test(sign) ? 2 : 1;
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

/** Words in lines, none wider than the terminal; every line begins with the indent. */
export function wrap(words: readonly string[], options: Wrapping): string[] {
  const { columns, indent, between = " " } = options;
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const joined = last === undefined ? null : `${last}${between}${word}`;
    if (joined === null || widthOf(joined) > columns) lines.push(`${indent}${word}`);
    else lines[lines.length - 1] = joined;
  }
  return lines;
}

export interface Wrapping {
  readonly columns: number;
  readonly indent: string;
  readonly between?: string;
}

/** A name, and beside it a text that goes on below itself. */
export function beside(name: string, text: string, columns: number): string {
  const indent = " ".repeat(widthOf(name));
  const lines = wrap(text.split(" "), { columns, indent });
  return `${name}${lines.join("\n").slice(indent.length)}\n`;
}

/** Rows of cells, each column as wide as its widest cell up to `most`; a wider cell pushes its own row only. */
export function table(rows: readonly (readonly string[])[], most: number = Number.POSITIVE_INFINITY): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      const width = widthOf(cell);
      widths[column] = Math.max(widths[column] ?? 0, width > most ? 0 : width);
    }
  }
  const lines = rows.map((row) => row.map((cell, column) => pad(cell, widths[column] ?? 0)).join("  "));
  return lines.map((line) => `  ${line}`.trimEnd()).map((line) => `${line}\n`).join("");
}

/** Facts with their names before them: `Next   read the status`. */
export function facts(rows: readonly (readonly [name: string, fact: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, fact]) => `  ${name.padEnd(width)}   ${fact}\n`).join("");
}

const segments = { by: undefined as Intl.Segmenter | undefined };

function signsOf(text: string): string[] {
  segments.by ??= new Intl.Segmenter();
  return Array.from(segments.by.segment(text), ({ segment }) => segment);
}
