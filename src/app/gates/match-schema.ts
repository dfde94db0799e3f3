import { isRecord } from "../../model/json.ts";
import { compilePattern, matchesWhole, mostSteps, stepsOf } from "../../model/pattern/pattern.ts";
import { quote } from "../../model/quote.ts";

/** The schema itself is at fault, not the value. */
export class BadSchema extends Error {
  override readonly name = "BadSchema";
}

/**
 * The first thing in a value that does not fit a JSON Schema; null if all of it fits. Knows the keywords that describe
 * data, and throws `BadSchema` for any other: one that is skipped would let everything pass. Patterns are matched in
 * linear time, as everywhere, and nothing is compiled to code.
 */
export function misfit(schema: unknown, value: unknown): string | null {
  return check({ root: schema, left: mostChecks, steps: mostSteps }, schema, value, "", 0);
}

const mostChecks = 100_000;
const deepest = 100;
const tooLong = "checking it takes too long";

interface Pass {
  readonly root: unknown;
  left: number;
  /** Those that are left for patterns. */
  steps: number;
}

function check(pass: Pass, schema: unknown, value: unknown, path: string, depth: number): string | null {
  if (schema === true) return null;
  if (schema === false) return `${name(path)} must not be there`;
  if (!isRecord(schema)) throw new BadSchema("a schema must be a map, true or false");
  pass.left -= 1;
  if (pass.left < 0 || depth > deepest) throw new BadSchema(tooLong);
  const inner: Inner = (each, part, where) => check(pass, each, part, where, depth + 1);
  for (const [keyword, wanted] of Object.entries(schema)) {
    if (notes.has(keyword)) continue;
    const rule = Object.hasOwn(rules, keyword) ? rules[keyword] : undefined;
    if (rule === undefined) throw new BadSchema(`it uses ${quote(keyword)}, which is not supported`);
    const problem = rule({ wanted, schema, value, path, inner, pass });
    if (problem !== null) return problem;
  }
  return null;
}

type Inner = (schema: unknown, value: unknown, path: string) => string | null;

interface Given {
  readonly wanted: unknown;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: unknown;
  readonly path: string;
  readonly inner: Inner;
  readonly pass: Pass;
}

type Rule = (given: Given) => string | null;

/** Keywords that check nothing, and those that another rule reads. */
const notes = new Set(
  "$schema $id $comment $defs definitions title description default examples deprecated format then else".split(" "),
);

const rules: Readonly<Record<string, Rule>> = {
  $ref: ({ wanted, value, path, inner, pass }) => inner(definition(pass.root, wanted), value, path),
  type: ({ wanted, value, path }) => {
    const types = [wanted].flat().map(String);
    return types.some((type) => isOfType(type, value)) ? null : `${name(path)} must be ${types.join(" or ")}`;
  },
  enum: ({ wanted, value, path }) =>
    listOf(wanted).some((each) => isSame(each, value))
      ? null
      : `${name(path)} must be one of ${JSON.stringify(wanted)}`,
  const: ({ wanted, value, path }) =>
    isSame(wanted, value) ? null : `${name(path)} must be ${JSON.stringify(wanted)}`,
  required: ({ wanted, value, path }) => {
    const lacking = isRecord(value) ? listOf(wanted).find((key) => !Object.hasOwn(value, String(key))) : undefined;
    return lacking === undefined ? null : `${name(at(path, String(lacking)))} is missing`;
  },
  properties: ({ wanted, value, path, inner }) =>
    firstOf(isRecord(value) ? Object.entries(mapOf(wanted)) : [], ([key, part]) =>
      isRecord(value) && Object.hasOwn(value, key) ? inner(part, value[key], at(path, key)) : null,
    ),
  additionalProperties: ({ wanted, schema, value, path, inner }) =>
    firstOf(isRecord(value) ? Object.entries(value) : [], ([key, part]) =>
      Object.hasOwn(mapOf(schema.properties), key) ? null : inner(wanted, part, at(path, key)),
    ),
  items: ({ wanted, value, path, inner }) =>
    firstOf([...(Array.isArray(value) ? value : []).entries()], ([index, part]) =>
      inner(wanted, part, `${path}[${index}]`),
    ),
  uniqueItems: ({ wanted, value, path }) => {
    if (wanted !== true || !Array.isArray(value)) return null;
    return new Set(value.map(stable)).size === value.length ? null : `${name(path)} has an entry twice`;
  },
  minItems: ({ wanted, value, path }) => atLeast(wanted, lengthOf(value, "list"), path, "entries"),
  maxItems: ({ wanted, value, path }) => atMost(wanted, lengthOf(value, "list"), path, "entries"),
  minLength: ({ wanted, value, path }) => atLeast(wanted, lengthOf(value, "text"), path, "characters"),
  maxLength: ({ wanted, value, path }) => atMost(wanted, lengthOf(value, "text"), path, "characters"),
  minimum: ({ wanted, value, path }) =>
    typeof value !== "number" || value >= numberOf(wanted) ? null : `${name(path)} must be ${String(wanted)} or more`,
  maximum: ({ wanted, value, path }) =>
    typeof value !== "number" || value <= numberOf(wanted) ? null : `${name(path)} must be ${String(wanted)} or less`,
  pattern: ({ wanted, value, path, pass }) =>
    typeof value !== "string" || isFound(pass, wanted, value)
      ? null
      : `${name(path)} must match ${quote(String(wanted))}`,
  allOf: ({ wanted, value, path, inner }) => firstOf(listOf(wanted), (each) => inner(each, value, path)),
  anyOf: ({ wanted, value, path, inner }) =>
    listOf(wanted).some((each) => inner(each, value, path) === null) ? null : `${name(path)} fits none of anyOf`,
  oneOf: ({ wanted, value, path, inner }) => {
    const fitting = listOf(wanted).filter((each) => inner(each, value, path) === null).length;
    return fitting === 1 ? null : `${name(path)} fits ${fitting} of oneOf, not one`;
  },
  not: ({ wanted, value, path, inner }) =>
    inner(wanted, value, path) === null ? `${name(path)} fits what it must not fit` : null,
  if: ({ wanted, schema, value, path, inner }) =>
    inner((inner(wanted, value, path) === null ? schema.then : schema.else) ?? true, value, path),
};

function name(path: string): string {
  return path === "" ? "the value" : path;
}

function at(path: string, key: string): string {
  const part = /^\w+$/.test(key) ? key : JSON.stringify(key);
  return path === "" ? part : `${path}.${part}`;
}

function firstOf<T>(all: readonly T[], find: (each: T) => string | null): string | null {
  for (const each of all) {
    const problem = find(each);
    if (problem !== null) return problem;
  }
  return null;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "integer":
      return Number.isInteger(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    default:
      throw new BadSchema(`it names the type ${quote(type)}, which does not exist`);
  }
}

/** Follows a reference within the schema, such as `#/$defs/task`. */
function definition(root: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) {
    throw new BadSchema(`it refers to ${quote(String(reference))}, but only references within the file are followed`);
  }
  let found = root;
  for (const part of reference.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  if (found === undefined) throw new BadSchema(`it refers to ${quote(reference)}, which is not in it`);
  return found;
}

function atLeast(wanted: unknown, length: number | null, path: string, what: string): string | null {
  const [least, verb] = [numberOf(wanted), "must have at least"];
  return length === null || length >= least ? null : `${name(path)} ${verb} ${least} ${what}, not ${length}`;
}

function atMost(wanted: unknown, length: number | null, path: string, what: string): string | null {
  const [most, verb] = [numberOf(wanted), "must have at most"];
  return length === null || length <= most ? null : `${name(path)} ${verb} ${most} ${what}, not ${length}`;
}

function lengthOf(value: unknown, kind: "list" | "text"): number | null {
  if (kind === "list") return Array.isArray(value) ? value.length : null;
  return typeof value === "string" ? [...value].length : null;
}

/** Like the unanchored patterns of JSON Schema: found anywhere in the text. */
function isFound(pass: Pass, wanted: unknown, text: string): boolean {
  const compiled = compilePattern(String(wanted), { anywhere: true });
  if (!compiled.ok) throw new BadSchema(`its pattern ${quote(String(wanted))}: ${compiled.problem}`);
  pass.steps -= stepsOf(compiled.pattern, text);
  if (pass.steps < 0) throw new BadSchema(tooLong);
  return matchesWhole(compiled.pattern, text);
}

function isSame(one: unknown, other: unknown): boolean {
  return stable(one) === stable(other);
}

/** JSON with the keys in order. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new BadSchema("it has something else where a list must be");
  return value;
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function numberOf(value: unknown): number {
  if (typeof value !== "number") throw new BadSchema("it has something else where a number must be");
  return value;
}
