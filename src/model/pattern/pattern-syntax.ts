import { quote } from "../quote.ts";

/** A set of characters: inclusive ranges of code points. */
export type CharacterSet = readonly (readonly [first: number, last: number])[];

/** A parsed pattern. */
export type PatternPart =
  | { readonly type: "character"; readonly set: CharacterSet }
  | { readonly type: "sequence" | "either"; readonly of: readonly PatternPart[] }
  | { readonly type: "repeat"; readonly of: PatternPart; readonly least: number; readonly most: number | null };

/** A text is not a valid pattern; the message says what is wrong at which column, counted from 1. */
export class BadPattern extends Error {
  override readonly name = "BadPattern";
  readonly column: number;

  constructor(column: number, message: string) {
    super(message);
    this.column = column;
  }
}

const deepest = 20;
const mostRepeats = 100;
const lastCodePoint = 0x10ffff;

/**
 * Parses the part of regular expressions that can be matched in linear time. The pattern is for a whole text; with
 * `anywhere` it may be found in the middle of one, unless ^ or $ ties it to an end. Throws `BadPattern`.
 */
export function parsePattern(text: string, anywhere = false): PatternPart {
  const reader: Reader = { text, at: 0 };
  // Where the whole text is matched anyway, the anchors that authors write out of habit change nothing.
  const fromStart = takes(reader, "^");
  const part = readEither(reader, 0);
  const toEnd = takes(reader, "$");
  if (reader.at < text.length) throw unexpected(reader);
  if (!anywhere) return part;
  if ((fromStart || toEnd) && part.type === "either") {
    throw new BadPattern(fromStart ? 1 : text.length, "is ambiguous before |; put the alternatives in parentheses");
  }
  return { type: "sequence", of: [...(fromStart ? [] : [anything]), part, ...(toEnd ? [] : [anything])] };
}

const anything: PatternPart = {
  type: "repeat",
  of: { type: "character", set: [[0, lastCodePoint]] },
  least: 0,
  most: null,
};

interface Reader {
  readonly text: string;
  at: number;
}

function readEither(reader: Reader, depth: number): PatternPart {
  if (depth > deepest) throw new BadPattern(reader.at + 1, "is nested too deeply");
  const of = [readSequence(reader, depth)];
  while (takes(reader, "|")) of.push(readSequence(reader, depth));
  return of.length === 1 && of[0] !== undefined ? of[0] : { type: "either", of };
}

function readSequence(reader: Reader, depth: number): PatternPart {
  const of: PatternPart[] = [];
  while (reader.at < reader.text.length && !"|)".includes(peek(reader)) && !isFinalAnchor(reader)) {
    of.push(readRepeat(reader, depth));
  }
  return { type: "sequence", of };
}

function isFinalAnchor({ text, at }: Reader): boolean {
  return text[at] === "$" && at === text.length - 1;
}

function readRepeat(reader: Reader, depth: number): PatternPart {
  const part = readOne(reader, depth);
  const start = reader.at;
  const count = readCount(reader);
  if (count === null) return part;
  const again = reader.at;
  if (readCount(reader) !== null) throw new BadPattern(again + 1, "two repetitions in a row; put one in parentheses");
  const [least, most] = count;
  if (Math.max(least, most ?? 0) > mostRepeats) {
    throw new BadPattern(start + 1, `repeats more than ${mostRepeats} times`);
  }
  if (most !== null && most < least) throw new BadPattern(start + 1, "the second number must not be smaller");
  return { type: "repeat", of: part, least, most };
}

const countPattern = /[*+?]|\{(\d{1,6})(?:(,)(\d{0,6}))?\}/y;

function readCount(reader: Reader): readonly [least: number, most: number | null] | null {
  countPattern.lastIndex = reader.at;
  const match = countPattern.exec(reader.text);
  if (match === null) return null;
  reader.at = countPattern.lastIndex;
  const [sign, least, comma, most] = match;
  if (least === undefined) return [sign === "+" ? 1 : 0, sign === "?" ? 1 : null];
  if (comma === undefined) return [Number(least), Number(least)];
  return [Number(least), most === undefined || most === "" ? null : Number(most)];
}

function readOne(reader: Reader, depth: number): PatternPart {
  const start = reader.at;
  if (takes(reader, "(")) return readGroup(reader, start, depth);
  if (takes(reader, "[")) return { type: "character", set: readClass(reader, start) };
  if (takes(reader, ".")) return { type: "character", set: complement([[10, 10]]) };
  if (takes(reader, "\\")) return { type: "character", set: readEscape(reader) };
  if ("*+?^$".includes(peek(reader))) throw unexpected(reader);
  return { type: "character", set: single(takeCharacter(reader)) };
}

function readGroup(reader: Reader, start: number, depth: number): PatternPart {
  if (takes(reader, "?") && !takes(reader, ":")) throw notLinear(start, `(?${peek(reader)}`);
  const inner = readEither(reader, depth + 1);
  if (!takes(reader, ")")) throw new BadPattern(start + 1, "the group that begins here has no closing )");
  return inner;
}

function readClass(reader: Reader, start: number): CharacterSet {
  const negated = takes(reader, "^");
  const set: (readonly [number, number])[] = [];
  while (!takes(reader, "]")) {
    if (reader.at >= reader.text.length) {
      throw new BadPattern(start + 1, "the class that begins here has no closing ]");
    }
    set.push(...readRange(reader));
  }
  if (set.length === 0) throw new BadPattern(start + 1, "the class that begins here has no characters");
  return negated ? complement(set) : set;
}

function readRange(reader: Reader): CharacterSet {
  const start = reader.at;
  const from = readMember(reader);
  const isRange = peek(reader) === "-" && reader.text[reader.at + 1] !== "]" && reader.at + 1 < reader.text.length;
  if (!isRange) return from;
  reader.at += 1;
  const to = readMember(reader);
  const [first, last] = [onlyOne(from), onlyOne(to)];
  if (first === null || last === null || first > last) {
    throw new BadPattern(start + 1, `${quote(reader.text.slice(start, reader.at))} is not a range of characters`);
  }
  return [[first, last]];
}

function readMember(reader: Reader): CharacterSet {
  return takes(reader, "\\") ? readEscape(reader) : single(takeCharacter(reader));
}

function onlyOne([range, ...more]: CharacterSet): number | null {
  return range !== undefined && more.length === 0 && range[0] === range[1] ? range[0] : null;
}

const digits: CharacterSet = [[48, 57]];
const letters: CharacterSet = [...digits, [65, 90], [95, 95], [97, 122]];
const spaces: CharacterSet = [[9, 13], ...[32, 160, 0x1680].flatMap(single), [0x2000, 0x200a], [0x2028, 0x2029]];

const classes: ReadonlyMap<string, CharacterSet> = new Map([
  ["d", digits],
  ["D", complement(digits)],
  ["w", letters],
  ["W", complement(letters)],
  ["s", spaces],
  ["S", complement(spaces)],
  ["n", single(10)],
  ["r", single(13)],
  ["t", single(9)],
]);

/** The backslash has been read. */
function readEscape(reader: Reader): CharacterSet {
  const start = reader.at - 1;
  const sign = peek(reader);
  if (sign === "") throw new BadPattern(start + 1, "ends with a single \\");
  const known = classes.get(sign);
  if (known === undefined && /[\p{L}\p{N}]/u.test(sign)) throw notLinear(start, `\\${sign}`);
  const codePoint = takeCharacter(reader);
  return known ?? single(codePoint);
}

function notLinear(start: number, written: string): BadPattern {
  return new BadPattern(start + 1, `${quote(written)} is not supported; a pattern has no lookaround and no references`);
}

function unexpected(reader: Reader): BadPattern {
  const sign = peek(reader);
  const hint = sign === "^" || sign === "$" ? "; the whole value is matched" : "";
  return new BadPattern(
    reader.at + 1,
    `${quote(sign)} has nothing to apply to here${hint}; for the character, write \\${sign}`,
  );
}

function single(codePoint: number): CharacterSet {
  return [[codePoint, codePoint]];
}

function complement(set: CharacterSet): CharacterSet {
  const sorted = [...set].sort(([a], [b]) => a - b);
  const gaps: (readonly [number, number])[] = [];
  let next = 0;
  for (const [first, last] of sorted) {
    if (first > next) gaps.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  return next <= lastCodePoint ? [...gaps, [next, lastCodePoint]] : gaps;
}

function peek({ text, at }: Reader): string {
  return text[at] ?? "";
}

function takes(reader: Reader, sign: string): boolean {
  if (peek(reader) !== sign) return false;
  reader.at += 1;
  return true;
}

function takeCharacter(reader: Reader): number {
  const codePoint = reader.text.codePointAt(reader.at) ?? 0;
  reader.at += codePoint > 0xffff ? 2 : 1;
  return codePoint;
}
