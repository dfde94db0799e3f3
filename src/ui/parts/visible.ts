/** A piece of a text; `isHidden` marks the name of a character that shows nothing, or that reorders what is beside it. */
export interface Piece {
  readonly text: string;
  readonly isHidden: boolean;
}

/**
 * The characters that the server calls unseen, too: controls, separators of lines, what turns the text around, and what a
 * browser ignores, such as zero-width characters, fillers, variation selectors and tags.
 */
const unseen = "[^\\P{Cc}\\t\\n]|[\\p{Cs}\\p{Zl}\\p{Zp}\\p{DI}\\ufff9-\\ufffb]";
/** Scripts whose letters take another form beside a joiner. */
const joined = ["Arab", "Syrc", "Mong", "Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh"]
  .concat(["Mymr", "Khmr", "Tibt"])
  .map((script) => `\\p{sc=${script}}`)
  .join("");
/** An emoji or a word cannot be read without these. */
const needed = [
  `(?<=[${joined}])[\\u200c\\u200d](?=[${joined}])`,
  "(?<=\\p{ExtPict}\\p{EMod}?\\ufe0f?)\\u200d(?=\\p{ExtPict})",
  "(?<=\\p{ExtPict})[\\ufe0e\\ufe0f]",
  "(?<=[\\d#*])\\ufe0f(?=\\u20e3)",
].join("|");
const hidden = new RegExp(`(?!${needed})(?:${unseen})`, "gu");

/** Splits a text so that hidden characters can be shown by their names. */
export function visiblePieces(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(hidden)) {
    const [character] = match;
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
