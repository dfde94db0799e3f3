import { type CompiledPattern, compileParts } from "./pattern.ts";
import { BadPattern, type CharacterSet, type PatternPart } from "./pattern-syntax.ts";

const longestGlob = 500;
const deepest = 20;
const slash = 0x2f;

/**
 * Compiles a glob over whole paths with `/` as separator: `*`, `**`, `?`, `[a-z]`, `{a,b}` and `@(a|b)` with its relatives.
 * A bracket that is not closed means itself. Hidden names need no dot of their own.
 */
export function compileGlob(text: string): CompiledPattern {
  return compileParts(() => {
    if (text.length > longestGlob) throw new BadPattern(longestGlob + 1, `is longer than ${longestGlob} characters`);
    const plain = text.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
    return readSequence({ text: plain, at: 0, closings: closingsIn(plain) }, "", 0);
  });
}

interface Reader {
  readonly text: string;
  at: number;
  /** Where each bracket that is closed ends. */
  readonly closings: ReadonlyMap<number, number>;
}

/** One pass, so that brackets within brackets take no longer than others. */
function closingsIn(text: string): ReadonlyMap<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: token, index } of text.matchAll(/\\.|\[[!^]?[^/][^\]/]*\]|[@+*?!]\(|[{})]/gsu)) {
    const end = index + token.length - 1;
    const opening = open.at(-1);
    if (token.endsWith("(") || token === "{") open.push(end);
    else if (token.startsWith("[")) closings.set(index, end);
    else if (opening !== undefined && token === (text[opening] === "{" ? "}" : ")")) {
      closings.set(opening, end);
      open.pop();
    }
  }
  return closings;
}

function isExtended(text: string, at: number): boolean {
  return "@+*?!".includes(text.charAt(at)) && text[at + 1] === "(";
}

function readSequence(reader: Reader, endings: string, depth: number): PatternPart {
  if (depth > deepest) throw new BadPattern(reader.at + 1, "is nested too deeply");
  const of: PatternPart[] = [];
  while (reader.at < reader.text.length && !isOneOf(endings, reader.text[reader.at])) of.push(readOne(reader, depth));
  return { type: "sequence", of };
}

function readOne(reader: Reader, depth: number): PatternPart {
  const { text, at, closings } = reader;
  const sign = text.charAt(at);
  if (isExtended(text, at) && closings.has(at + 1)) return readExtended(reader, sign, depth);
  const end = closings.get(at);
  if (sign === "[" && end !== undefined) return readClass(reader, end);
  if (sign === "{" && end !== undefined) return readBraces(reader, end, depth);
  if (sign === "*") return readStars(reader);
  if (sign === "?") {
    reader.at += 1;
    return inName;
  }
  if (sign === "\\" && at + 1 < text.length) reader.at += 1;
  return literal(reader);
}

/** `**` stands for whole folders only where it is a whole name; elsewhere it is the same as `*`. */
function readStars(reader: Reader): PatternPart {
  const { text, at } = reader;
  while (text[reader.at] === "*") reader.at += 1;
  const isName = reader.at - at > 1 && (at === 0 || isOneOf("/{,(|", text[at - 1]));
  const next = text[reader.at];
  if (isName && next === "/") {
    reader.at += 1;
    const folder: PatternPart = {
      type: "sequence",
      of: [repeated(inName, 1), { type: "character", set: [[slash, slash]] }],
    };
    return repeated(folder, 0);
  }
  return repeated(isName && (next === undefined || isOneOf(",}|)", next)) ? anything : inName, 0);
}

const counts = { "@": [1, 1], "?": [0, 1], "+": [1, null], "*": [0, null] } as const;

function readExtended(reader: Reader, sign: string, depth: number): PatternPart {
  if (sign === "!")
    throw new BadPattern(reader.at + 1, "has !(...), which is not supported; name what must exist instead");
  reader.at += 1;
  const of = readEither(reader, "|", ")", depth);
  const [least, most] = counts[sign as keyof typeof counts];
  return { type: "repeat", of, least, most };
}

/** Without a comma, braces mean themselves; `{a..c}` is a range. */
function readBraces(reader: Reader, end: number, depth: number): PatternPart {
  const [, first, last] = /^\{([^/])\.\.([^/])\}$/u.exec(reader.text.slice(reader.at, end + 1)) ?? [];
  if (first !== undefined && last !== undefined) {
    reader.at = end + 1;
    return { type: "character", set: [[codeOf(first), codeOf(last)]] };
  }
  const either = readEither(reader, ",", "}", depth);
  if (either.type === "either") return either;
  return { type: "sequence", of: [character("{"), either, character("}")] };
}

function readEither(reader: Reader, between: string, closing: string, depth: number): PatternPart {
  const of: PatternPart[] = [];
  do {
    reader.at += 1;
    of.push(readSequence(reader, between + closing, depth + 1));
  } while (reader.text[reader.at] === between);
  reader.at += 1;
  return of.length === 1 && of[0] !== undefined ? of[0] : { type: "either", of };
}

function readClass(reader: Reader, end: number): PatternPart {
  const [, not = "", content = ""] = /^([!^]?)(.*)$/su.exec(reader.text.slice(reader.at + 1, end)) ?? [];
  reader.at = end + 1;
  const ranges = [...content.matchAll(/\\?(.)(?:-\\?(.))?/gsu)].map(
    ([, first = "", last = first]) => [codeOf(first), codeOf(last)] as const,
  );
  return { type: "character", set: not === "" ? ranges : others(ranges) };
}

const lastCodePoint = 0x10ffff;

/** Everything else that may be in a name. */
function others(ranges: CharacterSet): CharacterSet {
  const found: [number, number][] = [];
  let next = 0;
  for (const [first, last] of [...ranges, [slash, slash] as const].sort(([one], [other]) => one - other)) {
    if (first > next) found.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  return [...found, [next, lastCodePoint]];
}

const inName: PatternPart = { type: "character", set: others([]) };
const anything: PatternPart = { type: "character", set: [[0, lastCodePoint]] };

function repeated(of: PatternPart, least: number): PatternPart {
  return { type: "repeat", of, least, most: null };
}

function literal(reader: Reader): PatternPart {
  const sign = String.fromCodePoint(reader.text.codePointAt(reader.at) ?? 0);
  reader.at += sign.length;
  return character(sign);
}

function character(sign: string): PatternPart {
  return { type: "character", set: [[codeOf(sign), codeOf(sign)]] };
}

function codeOf(sign: string): number {
  return sign.codePointAt(0) ?? 0;
}

function isOneOf(signs: string, sign: string | undefined): boolean {
  return sign !== undefined && sign !== "" && signs.includes(sign);
}
