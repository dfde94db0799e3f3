import { didYouMean } from "../model/nearest.ts";
import { joinWords, quote } from "../model/quote.ts";
import type { Path } from "./problem.ts";
import { valueAt } from "./value.ts";

/** The message for a value of the wrong type. The schema's own message ("must be a whole number") wins over the general one. */
export function typeWording(expected: string, given: unknown, message: string, owner: string): string {
  const wanted = /^must be (.+)$/.exec(message)?.[1] ?? typeWords[expected];
  if (wanted === undefined) return message;
  if (given === undefined || given === null) return `${absent(given, owner)}; it must be ${wanted}`;
  const quotes = wanted === "text" && typeof given !== "object" ? "; put it in quotes" : "";
  return `must be ${wanted}, not ${show(given)}${quotes}`;
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

/** The message for a value that is not one of a fixed set. */
export function choiceWording(values: readonly string[], given: unknown, message: string, owner: string): string {
  if (given === undefined || given === null) return `${absent(given, owner)}; use ${joinWords(values, "or")}`;
  if (message.startsWith("must be ")) return `${message}, not ${show(given)}`;
  if (typeof given === "string") return `${message}${didYouMean(given, values)}`;
  return `must be ${joinWords(values, "or")}, not ${show(given)}`;
}

export function absent(given: undefined | null, owner: string): string {
  return `is ${given === undefined ? "missing" : "empty"}${owner === "" ? "" : ` in ${owner}`}`;
}

/** `step "plan"` for a key directly in that step; empty for steps without an id and for deeper keys. */
export function ownerOf(value: unknown, path: Path): string {
  const [room, loop] = path;
  const id = valueAt(value, [...path.slice(0, -1), "id"]);
  if (typeof id !== "string" || path.at(-1) === "id") return "";
  if (room === "steps" && path.length === 3) return `step ${quote(id)}`;
  return room === "loops" && path.length === 4 ? `sub-step ${quote(`${String(loop)}.${id}`)}` : "";
}

/** For a step that names a workflow to run. */
export const noNestedWorkflows = "a workflow cannot be run as a step in this edition; to reuse its steps, extend it";

export function show(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "string") return quote(value);
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : `the ${typeof value} ${String(value)}`;
}
