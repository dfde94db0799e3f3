/** One command of a command line: what a shell would start. */
export interface SimpleCommand {
  readonly words: readonly Word[];
  /** The files that it writes to with `>` and the like. */
  readonly writesTo: readonly Word[];
  /** The names that are set before it, as in `CI=1 npm test`. */
  readonly sets: readonly string[];
}

export interface Word {
  readonly text: string;
  /** False if the shell puts something else in its place: a variable, a glob, a home folder. */
  readonly isLiteral: boolean;
}

/**
 * All commands that a command line may run, also those in `$(...)`, groups and loops; null if it has something that is not
 * understood here. It is not a shell: what it does not know for sure, it does not accept.
 */
export function commandsIn(line: string): readonly SimpleCommand[] | null {
  const reader: Reader = { text: line, at: 0, commands: [], bodies: [] };
  try {
    readCommands(reader, null, 0);
    return reader.commands;
  } catch (error) {
    if (error instanceof NotUnderstood) return null;
    throw error;
  }
}

class NotUnderstood extends Error {}

interface Reader {
  readonly text: string;
  at: number;
  readonly commands: SimpleCommand[];
  /** The ends of here-documents whose bodies begin after the current line. */
  bodies: { readonly end: string; readonly refused: RegExp | null }[];
}

interface Draft {
  readonly words: Word[];
  readonly writesTo: Word[];
  readonly sets: string[];
}

const deepest = 10;
const operator = /&&|\|\||;;|\|&|[;&|\n()]/y;
const redirection = /\d*(?:>>|>\||>&|<&|<<-|<<<|<<|<>|>|<|&>>|&>)/y;

function readCommands(reader: Reader, closing: ")" | "`" | null, depth: number): void {
  if (depth > deepest) throw new NotUnderstood();
  for (;;) {
    const draft = newDraft();
    readParts(reader, draft, closing, depth);
    const sign = takeEnd(reader, closing);
    if (sign === ";;" || (sign === "(" && draft.words.length > 0)) throw new NotUnderstood();
    finish(reader, draft);
    if (sign === closing) return;
    if (sign === null || sign === ")") throw new NotUnderstood();
    if (sign === "(") readCommands(reader, ")", depth + 1);
    if (sign === "\n") skipBodies(reader);
  }
}

/** What ends a command: an operator, a backtick, or null for the end of the line. */
function takeEnd(reader: Reader, closing: ")" | "`" | null): string | null {
  if (reader.at < reader.text.length)
    return closing === "`" ? (take(reader, /`/y) ?? take(reader, operator)) : take(reader, operator);
  if (reader.bodies.length > 0) throw new NotUnderstood();
  return null;
}

/** Reads words and redirections until something ends the command. */
function readParts(reader: Reader, draft: Draft, closing: ")" | "`" | null, depth: number): void {
  for (;;) {
    skipBlanks(reader);
    const redirect = take(reader, redirection);
    if (redirect !== null) readRedirection(reader, redirect.replace(/^\d+/, ""), draft, depth);
    else if (reader.at >= reader.text.length || isNext(reader, operator) || (closing === "`" && isNext(reader, /`/y)))
      return;
    else addWord(draft, readWord(reader, depth));
  }
}

function isNext({ text, at }: Reader, pattern: RegExp): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function newDraft(): Draft {
  return { words: [], writesTo: [], sets: [] };
}

function addWord(draft: Draft, word: Word): void {
  const name = /^([A-Za-z_]\w*)\+?=/.exec(word.text)?.[1];
  if (draft.words.length === 0 && name !== undefined) draft.sets.push(name);
  else draft.words.push(word);
}

const opening = new Set(["do", "then", "else", "elif", "if", "while", "until", "!", "{", "time"]);
const ending = new Set(["done", "fi", "}"]);
const unknown = new Set(["case", "esac", "function", "select", "coproc", "[[", "((", "in"]);

/** Words that only steer the shell are left out, so that the command behind them is seen. */
function finish(reader: Reader, draft: Draft): void {
  const words = [...draft.words];
  while (words[0] !== undefined && opening.has(words[0].text)) words.shift();
  const [first] = words;
  if (first?.isLiteral && unknown.has(first.text)) throw new NotUnderstood();
  if (first?.isLiteral && ending.has(first.text)) words.shift();
  if (first?.text === "for") words.length = 0;
  // An assignment behind `do` or `then` was read as a word.
  if (words[0] !== undefined && /^[A-Za-z_]\w*\+?=/.test(words[0].text)) throw new NotUnderstood();
  const { writesTo, sets } = draft;
  if (words.length + writesTo.length + sets.length > 0) reader.commands.push({ words, writesTo, sets });
}

function readRedirection(reader: Reader, sign: string, draft: Draft, depth: number): void {
  if (reader.text[reader.at] === "(") throw new NotUnderstood();
  skipBlanks(reader);
  const start = reader.at;
  const word = readWord(reader, depth);
  if (sign === "<<" || sign === "<<-") {
    const isQuoted = /['"\\]/.test(reader.text.slice(start, reader.at));
    reader.bodies.push({ end: word.text, refused: isQuoted ? null : /\$\(|`/ });
  } else if (sign.includes(">") && !(sign === ">&" && /^[\d-]+$/.test(word.text))) {
    draft.writesTo.push(word);
  }
}

/** A body without quotes may have commands in it, which are not looked for. */
function skipBodies(reader: Reader): void {
  for (const { end, refused } of reader.bodies) {
    let line = takeLine(reader);
    for (; line.replace(/^\t+/, "") !== end; line = takeLine(reader))
      if (refused?.test(line)) throw new NotUnderstood();
  }
  reader.bodies = [];
}

function takeLine(reader: Reader): string {
  if (reader.at >= reader.text.length) throw new NotUnderstood();
  const line = take(reader, /[^\n]*/y) ?? "";
  reader.at += 1;
  return line;
}

function skipBlanks(reader: Reader): void {
  take(reader, /(?:[ \t]|\\\n)+/y);
  // A comment ends with its line.
  take(reader, /#[^\n]*/y);
}

function take(reader: Reader, pattern: RegExp): string | null {
  pattern.lastIndex = reader.at;
  const [found] = pattern.exec(reader.text) ?? [];
  if (found === undefined) return null;
  reader.at += found.length;
  return found;
}

const wordEnd = /[ \t\n;&|()<>]/;

function readWord(reader: Reader, depth: number): Word {
  const start = reader.at;
  let [text, isLiteral] = ["", true];
  for (;;) {
    const sign = reader.text[reader.at];
    if (sign === undefined || wordEnd.test(sign)) break;
    if (sign === "`" && depth > 0 && isInBackticks(reader)) break;
    const part = readPart(reader, sign, depth);
    text += part.text;
    isLiteral &&= part.isLiteral;
  }
  if (reader.at === start) throw new NotUnderstood();
  return { text, isLiteral };
}

/** Whether the backtick here ends the command that it is in: an odd number of them came before. */
function isInBackticks({ text, at }: Reader): boolean {
  return (text.slice(0, at).split("`").length - 1) % 2 === 1;
}

function readPart(reader: Reader, sign: string, depth: number): Word {
  if (sign === "'") return { text: readQuoted(reader), isLiteral: true };
  if (sign === '"') return readDoubleQuoted(reader, depth);
  if (sign === "$" || sign === "`") return readExpansion(reader, depth);
  if (sign === "\\") {
    const escaped = reader.text[reader.at + 1];
    if (escaped === undefined) throw new NotUnderstood();
    reader.at += 2;
    return { text: escaped === "\n" ? "" : escaped, isLiteral: true };
  }
  reader.at += 1;
  return { text: sign, isLiteral: !"*?[{~".includes(sign) };
}

function readQuoted(reader: Reader): string {
  const end = reader.text.indexOf("'", reader.at + 1);
  if (end === -1) throw new NotUnderstood();
  const text = reader.text.slice(reader.at + 1, end);
  reader.at = end + 1;
  return text;
}

function readDoubleQuoted(reader: Reader, depth: number): Word {
  let [text, isLiteral] = ["", true];
  reader.at += 1;
  for (let sign = reader.text[reader.at]; sign !== '"'; sign = reader.text[reader.at]) {
    if (sign === undefined) throw new NotUnderstood();
    const part = sign === "$" || sign === "`" ? readExpansion(reader, depth) : readInQuotes(reader);
    text += part.text;
    isLiteral &&= part.isLiteral;
  }
  reader.at += 1;
  return { text, isLiteral };
}

function readInQuotes(reader: Reader): Word {
  const escaped = take(reader, /\\["\\$`\n]/y);
  if (escaped !== null) return { text: escaped === "\\\n" ? "" : escaped.slice(1), isLiteral: true };
  return { text: take(reader, /[\s\S]/y) ?? "", isLiteral: true };
}

/** Commands in it are added to the others; what it stands for is not known. */
function readExpansion(reader: Reader, depth: number): Word {
  const start = reader.at;
  if (take(reader, /`/y) !== null) readCommands(reader, "`", depth + 1);
  else if (take(reader, /\$\(\(/y) !== null) readArithmetic(reader);
  else if (take(reader, /\$\(/y) !== null) readCommands(reader, ")", depth + 1);
  else if (take(reader, /\$\{[#!]?\w*(?:[:%#/^,+=?-]+[^`$'"{}\\]*)?\}|\$(?:\w|[?#@*!$-])\w*/y) === null) {
    // `$'...'` and `$"..."` are other ways to quote, which not every shell knows.
    if (/['"{[]/.test(reader.text[reader.at + 1] ?? "")) throw new NotUnderstood();
    reader.at += 1;
    return { text: "$", isLiteral: true };
  }
  return { text: reader.text.slice(start, reader.at), isLiteral: false };
}

function readArithmetic(reader: Reader): void {
  if (take(reader, /[\w\s+*/%<>=!&|^~?:,-]*\)\)/y) === null) throw new NotUnderstood();
}
