import { widthOf, wrap } from "./layout.ts";

/** Marks that open a list item or a quotation; the lines that follow are indented to the text after the mark. */
const openingMark = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX-]\]\s+)?|(?:>\s?)+)?/;

/** The start or end of a fenced code block. */
const fence = /^\s*(?:```|~~~)/;

/** Code indented by four spaces or a tab, and rows of a table: their line breaks and spaces carry meaning. */
const verbatim = /^(?: {4}|\t|\s*\|)/;

/**
 * Breaks the lines of a Markdown-like text between words, so that none is wider than the terminal. The author's own
 * line breaks stay, code and tables are left alone, and nothing changes where `edge` is infinite.
 */
export function wrapText(text: string, edge: number): string {
  let inCode = false;
  return text
    .split("\n")
    .flatMap((line) => {
      const isFence = fence.test(line);
      if (isFence) inCode = !inCode;
      return inCode || isFence || verbatim.test(line) || widthOf(line) <= edge ? [line] : wrapLine(line, edge);
    })
    .join("\n");
}

function wrapLine(line: string, edge: number): string[] {
  const mark = openingMark.exec(line)?.[0] ?? "";
  const [first = "", ...words] = line.slice(mark.length).trimEnd().split(" ");
  // Every line of a quotation carries the mark, so that it still reads as one.
  const indent = mark.includes(">") ? mark : " ".repeat(widthOf(mark));
  return wrap(words, { columns: edge, indent, begin: `${mark}${first}` });
}
