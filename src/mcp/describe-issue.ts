import type * as z from "zod";
import { choices } from "../model/nearest.ts";
import { bare, quote } from "../model/quote.ts";

/** What is wrong with the arguments of a call, in terms of the tool. */
export function describeIssue(issue: z.core.$ZodIssue | undefined, sent: unknown, known: readonly string[]): string {
  if (issue === undefined) return "the arguments are invalid";
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    if (key === "run_id") return "this tool takes no run_id; to continue a run, call workflow_status with its run_id";
    if (known.length === 0) return `unknown argument ${quote(key)}; this tool takes no arguments`;
    return `unknown argument ${quote(key)}${choices(key, new Set(known), "the arguments are")}`;
  }
  const where = wordPath(issue.path);
  const given = valueAt(sent, issue.path);
  const inKey = issue.code === "invalid_key" ? issue.issues[0]?.message : undefined;
  return `${where}: ${inKey ?? wordProblem(issue, given)}`;
}

/** An object cannot hold the key `__proto__`, so parsing would lose it. Look for it first. */
export function findLostKey(sent: unknown, path: readonly PropertyKey[] = []): string | null {
  if (typeof sent !== "object" || sent === null || path.length > deepest) return null;
  if (Object.hasOwn(sent, "__proto__")) return `${wordPath(path)}: "__proto__" is a reserved name; use another`;
  for (const [key, value] of Object.entries(sent)) {
    if (typeof value !== "object") continue;
    const lost = findLostKey(value, [...path, Array.isArray(sent) ? Number(key) : key]);
    if (lost !== null) return lost;
  }
  return null;
}

/** No valid argument is nested deeper. */
const deepest = 3;

function wordProblem(issue: z.core.$ZodIssue, given: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return given === undefined
        ? "is missing"
        : `must be ${kinds[issue.expected] ?? issue.expected}, not ${kindOf(given)}`;
    case "too_big":
      return `must have at most ${issue.maximum.toLocaleString("en")} ${things(given)}, not ${lengthOf(given)}`;
    case "too_small":
      return Array.isArray(given) ? "must not be an empty list" : "must not be empty";
    case "invalid_union":
      return given === undefined ? "is missing" : `must be text, a number, true or false, not ${kindOf(given)}`;
    case "custom":
    case "invalid_element":
    case "invalid_format":
    case "invalid_key":
    case "invalid_value":
    case "not_multiple_of":
    case "unrecognized_keys":
      return issue.message;
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "boolean") return String(value);
  return typeof value === "string" ? "text" : "a number";
}

function things(given: unknown): string {
  return typeof given === "string" ? "characters" : "entries";
}

function lengthOf(given: unknown): string {
  return typeof given === "string" || Array.isArray(given) ? given.length.toLocaleString("en") : "more";
}

/** For example `tasks 2.title`; list entries are counted from 1. */
function wordPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the arguments";
  return path.reduce<string>((words, part) => {
    if (typeof part === "number") return `${words} ${part + 1}`;
    const name = bare(String(part));
    return words === "" ? name : `${words}.${name}`;
  }, "");
}

function valueAt(sent: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  }, sent);
}
