/** A piece of a text; `isHidden` marks the name of a character that shows nothing, or that reorders what is beside it. */
export interface Piece {
  readonly text: string;
  readonly isHidden: boolean;
}

/**
 * Controls, bidirectional overrides and marks, invisible spaces, line separators and tags. A joiner within an emoji and
 * the selector behind it stay, as do tabs and line breaks.
 */
const hidden = /[\p{Cc}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu;

/** Splits a text so that hidden characters can be shown by their names. */
export function visiblePieces(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(hidden)) {
    const [character] = match;
    if (character === "\n" || character === "\t") continue;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), isHidden: false });
    end = match.index + character.length;
    // A carriage return before a line break is only another way to end the line.
    if (character === "\r" && text[end] === "\n") continue;
    pieces.push({ text: nameOf(character), isHidden: true });
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isHidden: false });
  return pieces;
}

/** The same as one text, for titles and attributes. */
export function visibleText(text: string): string {
  return visiblePieces(text)
    .map((piece) => piece.text)
    .join("");
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
