import { didYouMean } from "../nearest.ts";
import { quote } from "../quote.ts";
import { BadCondition, type ConditionToken, readTokens } from "./condition-tokens.ts";
import { leadsOutOfData, type MemberPath } from "./member-path.ts";

const comparisons = ["==", "!=", "===", "!==", "<", "<=", ">", ">="] as const;
const wordComparisons = ["in", "contains"] as const;

export type ConditionRoot = "state" | "run" | "variables" | "outcomes" | "outputs" | "task";

/** The words that a condition can begin a member with, and what each one reads. */
export type RootNames = Readonly<Record<string, ConditionRoot>>;

const always: RootNames = { state: "state", run: "run", variables: "variables" };
/** `vars` is the name that placeholders use. It is not offered as a hint, so it comes in addition. */
const aliases: RootNames = { vars: "variables" };

/** What the condition of a step or sub-step can read. The condition of an artifact can read less. */
export const stepRoots: RootNames = { ...always, outcomes: "outcomes", outputs: "outputs", task: "task" };

/** What `state` has, and `run` too. The last two exist only if a variable of that name has a value. */
export const stateFields = [
  ...["run_id", "workflow", "status", "summary", "step", "phase", "variables", "artifacts", "artefacts", "steps"],
  ...["started_at", "work_id", "plan_id"],
] as const;
export type StateField = (typeof stateFields)[number];

type Scalar = string | number | boolean | null;

/** A parsed condition. It can only read and compare values; the language has no calls and no assignments. */
export type Condition =
  | { readonly type: "value"; readonly value: Scalar; readonly column: number }
  | { readonly type: "list"; readonly of: readonly Scalar[] }
  | { readonly type: "member"; readonly root: ConditionRoot; readonly path: MemberPath; readonly column: number }
  | { readonly type: "not" | "size"; readonly of: Condition }
  | { readonly type: "every" | "some"; readonly of: readonly Condition[] }
  | {
      readonly type: "comparison";
      readonly sign: (typeof comparisons)[number] | (typeof wordComparisons)[number];
      readonly left: Condition;
      readonly right: Condition;
    };

/** Every value that a condition reads, in the order of its text. */
export function membersOf(condition: Condition): readonly Extract<Condition, { type: "member" }>[] {
  switch (condition.type) {
    case "value":
    case "list":
      return [];
    case "member":
      return [condition];
    case "not":
    case "size":
      return membersOf(condition.of);
    case "every":
    case "some":
      return condition.of.flatMap(membersOf);
    case "comparison":
      return [...membersOf(condition.left), ...membersOf(condition.right)];
  }
}

export type ParsedCondition =
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly column: number; readonly problem: string };

const longest = 2_000;
const deepest = 50;

/** Parses a condition, or tells what was expected at which column. */
export function parseCondition(text: string, roots: RootNames = always): ParsedCondition {
  if (text.length > longest) return { ok: false, column: 1, problem: "is longer than 2,000 characters" };
  try {
    const reader: Reader = { tokens: readTokens(text), roots, at: 0 };
    const condition = readSome(reader, 0);
    if (peek(reader).type !== "end") throw unexpected(reader, "an operator or the end");
    return { ok: true, condition };
  } catch (error) {
    if (!(error instanceof BadCondition)) throw error;
    return { ok: false, column: error.column, problem: error.message };
  }
}

interface Reader {
  readonly tokens: readonly ConditionToken[];
  readonly roots: RootNames;
  at: number;
}

function readSome(reader: Reader, depth: number): Condition {
  const of = [readEvery(reader, depth)];
  while (takes(reader, "||")) of.push(readEvery(reader, depth));
  return of.length === 1 && of[0] !== undefined ? of[0] : { type: "some", of };
}

function readEvery(reader: Reader, depth: number): Condition {
  const of = [readComparison(reader, depth)];
  while (takes(reader, "&&")) of.push(readComparison(reader, depth));
  return of.length === 1 && of[0] !== undefined ? of[0] : { type: "every", of };
}

function readComparison(reader: Reader, depth: number): Condition {
  const left = readOne(reader, depth);
  const sign = takeComparison(reader);
  if (sign === undefined) return left;
  const right = sign === "in" && takes(reader, "[") ? readList(reader) : readOne(reader, depth);
  const { column } = peek(reader);
  if (takeComparison(reader) !== undefined) {
    throw new BadCondition(column, "two comparisons in a row; put one of them in parentheses");
  }
  return { type: "comparison", sign, left, right };
}

function takeComparison(reader: Reader): Extract<Condition, { type: "comparison" }>["sign"] | undefined {
  const sign = comparisons.find((candidate) => takes(reader, candidate));
  return sign ?? wordComparisons.find((candidate) => takesWord(reader, candidate));
}

/** The values after `in [`, up to the closing bracket. */
function readList(reader: Reader): Condition {
  const of: Scalar[] = [];
  if (takes(reader, "]")) return { type: "list", of };
  do {
    of.push(readScalar(reader));
  } while (takes(reader, ","));
  if (!takes(reader, "]")) throw unexpected(reader, "a comma or ]");
  return { type: "list", of };
}

function readScalar(reader: Reader): Scalar {
  const token = peek(reader);
  const value = token.type === "value" ? token.value : token.type === "word" ? constants.get(token.text) : undefined;
  if (value === undefined) throw unexpected(reader, "a number, a text in quotes, true, false or null");
  reader.at += 1;
  return value;
}

function readOne(reader: Reader, depth: number): Condition {
  const token = peek(reader);
  if (depth > deepest) throw new BadCondition(token.column, "is nested too deeply");
  if (takes(reader, "!")) return { type: "not", of: readOne(reader, depth + 1) };
  if (takesWord(reader, "size")) return { type: "size", of: readOne(reader, depth + 1) };
  if (token.type === "sign" && token.text === "[") throw new BadCondition(token.column, "a list can only follow in");
  if (takes(reader, "(")) {
    const inner = readSome(reader, depth + 1);
    if (!takes(reader, ")")) throw unexpected(reader, "an operator or )");
    return inner;
  }
  if (token.type !== "value" && token.type !== "word") throw unexpected(reader, "a value");
  reader.at += 1;
  const { column } = token;
  return token.type === "value" ? { type: "value", value: token.value, column } : readWord(reader, token.text, column);
}

const constants = new Map([
  ["null", null],
  ["true", true],
  ["false", false],
]);

function readWord(reader: Reader, word: string, column: number): Condition {
  const constant = constants.get(word);
  if (constant !== undefined) return { type: "value", value: constant, column };
  const known: RootNames = { ...reader.roots, ...aliases };
  const root = Object.hasOwn(known, word) ? known[word] : undefined;
  if (root !== undefined) return { type: "member", root, path: readPath(reader), column };
  if (word === "undefined") throw new BadCondition(column, "undefined is not supported; a missing value is null");
  if (Object.hasOwn(stepRoots, word)) {
    throw new BadCondition(column, `${word} is only available in the when of a step or sub-step`);
  }
  const names = Object.keys(reader.roots);
  const hint =
    didYouMean(word, [...names, ...constants.keys()]) || `; use ${names.join(", ").replace(/, (?=\w+$)/, " or ")}`;
  throw new BadCondition(column, `${quote(word)} is unknown${hint}`);
}

function readPath(reader: Reader): MemberPath {
  const path: (string | number)[] = [];
  for (;;) {
    if (takes(reader, ".")) path.push(readName(reader));
    else if (takes(reader, "[")) path.push(readKey(reader));
    else break;
  }
  const { column } = peek(reader);
  if (takes(reader, "(")) throw new BadCondition(column, "a condition cannot call functions");
  return path;
}

function readName(reader: Reader): string {
  const token = peek(reader);
  if (token.type !== "word") throw unexpected(reader, "the name of a member");
  reader.at += 1;
  return checked(token.text, token.column);
}

function readKey(reader: Reader): string | number {
  const token = peek(reader);
  const isKey = token.type === "value" && (typeof token.value === "string" || /^\d+$/.test(String(token.value)));
  if (!isKey) throw unexpected(reader, "a name in quotes or a whole number");
  reader.at += 1;
  if (!takes(reader, "]")) throw unexpected(reader, "]");
  return typeof token.value === "string" ? checked(token.value, token.column) : token.value;
}

function checked(key: string, column: number): string {
  if (leadsOutOfData(key)) throw new BadCondition(column, `${key} is a reserved name`);
  return key;
}

function takes(reader: Reader, sign: string): boolean {
  const token = peek(reader);
  if (token.type !== "sign" || token.text !== sign) return false;
  reader.at += 1;
  return true;
}

function takesWord(reader: Reader, word: string): boolean {
  const token = peek(reader);
  if (token.type !== "word" || token.text !== word) return false;
  reader.at += 1;
  return true;
}

function peek({ tokens, at }: Reader): ConditionToken {
  const token = tokens[at];
  if (token === undefined) throw new Error("a condition was read past its end");
  return token;
}

function unexpected(reader: Reader, expected: string): BadCondition {
  const token = peek(reader);
  return new BadCondition(token.column, `expected ${expected}, found ${show(token)}`);
}

function show(token: ConditionToken): string {
  if (token.type === "end") return "the end";
  return token.type === "value" ? quote(String(token.value)) : token.text;
}
