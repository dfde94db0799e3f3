import type { z } from "zod";
import { joinWords } from "../model/one-of.ts";
import { Template } from "../model/template.ts";
import { knownKeys } from "./known-keys.ts";
import { didYouMean, nearest } from "./nearest.ts";
import { error, type Finding, type Path } from "./problem.ts";

type Issue = z.core.$ZodIssue;

export type Structure = { readonly template: Template | null; readonly findings: readonly Finding[] };

/** Reads a plain value as a template; what does not fit comes back as findings, all of it at once. */
export function readStructure(value: unknown): Structure {
  const parsed = Template.safeParse(value);
  if (parsed.success) return { template: parsed.data, findings: [] };
  return { template: null, findings: parsed.error.issues.flatMap((issue) => findingsOf(value, issue, [])) };
}

function findingsOf(value: unknown, issue: Issue, above: Path): Finding[] {
  const path = [...above, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(value, path, key));
    case "invalid_union":
      return unionFindings(value, issue, path);
    case "invalid_key":
      return issue.issues.slice(0, 1).map(({ message }) => error(path, message, { at: "key" }));
    case "invalid_type":
      return [error(path, typeWording(issue.expected, valueAt(value, path), issue.message))];
    case "invalid_value":
      return [error(path, choiceWording(issue.values.map(String), valueAt(value, path), issue.message))];
    default:
      return [error(path, issue.message)];
  }
}

/** Of several shapes the nearest is explained; where none is nearer than the others, the union speaks for itself. */
function unionFindings(value: unknown, issue: Extract<Issue, { code: "invalid_union" }>, path: Path): Finding[] {
  if (issue.errors.length === 0) return [typeOfStep(value, path)];
  const [first = [], second] = [...issue.errors].sort((a, b) => a.length - b.length);
  if (first.length === second?.length || first.some((inner) => inner.path.length === 0)) {
    return [error(path, issue.message)];
  }
  return first.flatMap((inner) => findingsOf(value, inner, path));
}

function typeOfStep(value: unknown, path: Path): Finding {
  const types = ["action", "loop", "ralph"];
  const given = valueAt(value, path);
  const id = valueAt(value, [...path.slice(0, -1), "id"]);
  const step = typeof id === "string" ? `step "${id}" ` : "";
  const problem = given === undefined ? "has no type" : `has the type ${show(given)}`;
  const hint = typeof given === "string" ? didYouMean(given, types) : "";
  return error(path, `${step}${problem}; use ${joinWords(types, "or")}${hint}`.trim());
}

function unknownKey(value: unknown, path: Path, key: string): Finding {
  const known = knownKeys(Template, path);
  const here = [...path, key];
  if (known.includes(key)) {
    const type = valueAt(value, [...path, "type"]);
    const what = typeof type === "string" ? `a step of type ${type}` : "this entry";
    return error(here, `${what} has no "${key}"`, { at: "key" });
  }
  const guess = nearest(key, known);
  const hint = guess === null ? `; known keys: ${known.join(", ")}` : `; did you mean ${guess}?`;
  return error(here, `unknown key${hint}`, { at: "key" });
}

function typeWording(expected: string, given: unknown, message: string): string {
  const wanted = typeWords[expected];
  if (wanted === undefined) return message;
  return given === undefined ? `is missing; it must be ${wanted}` : `must be ${wanted}, not ${show(given)}`;
}

const typeWords: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map of keys and values",
  record: "a map of names and values",
};

function choiceWording(values: readonly string[], given: unknown, message: string): string {
  if (typeof given === "string") return `${message}${didYouMean(given, values)}`;
  const choice = joinWords(values, "or");
  return given === undefined ? `is missing; use ${choice}` : `must be text (${choice}), not ${show(given)}`;
}

function show(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  return `the ${typeof value} ${String(value)}`;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, part) => {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, part)) return undefined;
    return (inner as Record<string | number, unknown>)[part];
  }, value);
}
