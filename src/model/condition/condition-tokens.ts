import { latePattern } from "../look-alike.ts";
import { quote } from "../quote.ts";

/** A piece of a condition; columns count from 1. */
export type ConditionToken = { readonly column: number } & (
  | { readonly type: "value"; readonly value: string | number }
  | { readonly type: "word" | "sign"; readonly text: string }
  | { readonly type: "end" }
);

/** A text is not a valid condition; the message says what is wrong at which column. */
export class BadCondition extends Error {
  override readonly name = "BadCondition";
  readonly column: number;

  constructor(column: number, message: string) {
    super(message);
    this.column = column;
  }
}

/** Most conditions are ASCII, and a pattern with classes of Unicode takes long to build. */
const asciiPattern = latePattern(patternOf("A-Za-z", "0-9"), "suy");
const unicodePattern = latePattern(patternOf(String.raw`\p{L}`, String.raw`\p{N}`), "suy");

function patternOf(letters: string, digits: string): string {
  const kinds = [
    String.raw`(?<space>\s+)`,
    `(?<word>[${letters}_$][${letters}${digits}_$]*)`,
    String.raw`(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)`,
    String.raw`(?<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`,
    String.raw`(?<sign>[=!]==?|[<>]=?|&&|\|\||[!().,[\]])`,
  ];
  return kinds.join("|");
}

export function readTokens(text: string): ConditionToken[] {
  const tokens: ConditionToken[] = [];
  const pattern = /^[\0-\x7f]*$/.test(text) ? asciiPattern() : unicodePattern();
  let end = 0;
  while (end < text.length) {
    pattern.lastIndex = end;
    const match = pattern.exec(text);
    if (match === null) throw notSupported(text, end);
    const { space, word, number, quoted, sign } = match.groups ?? {};
    const column = end + 1;
    if (word !== undefined) tokens.push({ type: "word", text: word, column });
    else if (number !== undefined) tokens.push({ type: "value", value: Number(number), column });
    else if (quoted !== undefined) tokens.push({ type: "value", value: unquote(quoted, column), column });
    else if (space === undefined) tokens.push({ type: "sign", text: sign ?? "", column });
    end = pattern.lastIndex;
  }
  return [...tokens, { type: "end", column: text.length + 1 }];
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", "'": "'", '"': '"', "\\": "\\" };

function unquote(quoted: string, column: number): string {
  return quoted.slice(1, -1).replace(/\\(.)/gsu, (written, sign: string, offset: number) => {
    const meant = escapes[sign];
    if (meant === undefined) throw new BadCondition(column + 1 + offset, `${quote(written)} is not a valid escape`);
    return meant;
  });
}

const hints: Readonly<Record<string, string>> = {
  "=": "a single = is not supported; compare with ==",
  "&": "a single & is not supported; use &&",
  "|": "a single | is not supported; use ||",
  "'": "the text that begins here has no closing '",
  '"': 'the text that begins here has no closing "',
};

function notSupported(text: string, offset: number): BadCondition {
  const sign = String.fromCodePoint(text.codePointAt(offset) ?? 0);
  const general = `${quote(sign)} is not supported; a condition can only compare values`;
  return new BadCondition(offset + 1, hints[sign] ?? general);
}
