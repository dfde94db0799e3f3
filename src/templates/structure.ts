import * as z from "zod";
import { didYouMean, nearest } from "../model/nearest.ts";
import { joinWords } from "../model/quote.ts";
import { ActionStep, CommandStep, LoopStep, RalphStep, Step, stepTypes, Template } from "../model/template.ts";
import { error, type Finding, type Path, pathKey } from "./problem.ts";
import { unknownKey } from "./unknown-key.ts";
import { isMap, valueAt } from "./value.ts";
import { absent, choiceWording, noNestedWorkflows, ownerOf, show, typeWording } from "./wording.ts";

type Issue = z.core.$ZodIssue;

/** A finding with its kind, so that follow-up findings can be dropped; `meant` is the path a misspelt key should have. */
interface Fault {
  readonly finding: Finding;
  readonly type: "missing" | "misspelt" | "whole" | "other";
  readonly meant?: Path;
}

export type Structure = { readonly template: Template | null; readonly findings: readonly Finding[] };

/** Parses a plain value as a template, or returns everything that does not fit. */
export function readStructure(value: unknown, reserved: readonly Finding[]): Structure {
  const parsed = Template.safeParse(value);
  if (parsed.success) return { template: parsed.data, findings: [] };
  const faults = parsed.error.issues.flatMap((issue) => faultsOf(value, issue, []));
  return { template: null, findings: withoutEchoes(faults, reserved) };
}

/** For a misspelt `turn:`, does not also report that `turns` is missing or that the map around it is incomplete. */
function withoutEchoes(faults: readonly Fault[], reserved: readonly Finding[]): Finding[] {
  const meant = faults.flatMap((fault) => (fault.meant === undefined ? [] : [fault.meant]));
  const present = new Set(meant.map(pathKey));
  const unsure = new Set([...meant, ...reserved.map(({ path }) => path)].map((path) => pathKey(path.slice(0, -1))));
  return faults
    .filter(({ type, finding: { path } }) => {
      if (type === "missing") return !present.has(pathKey(path)) && !(isSteps(path) && present.has(extendsKey));
      return type !== "whole" || !unsure.has(pathKey(path));
    })
    .map(({ finding }) => finding);
}

const extendsKey = pathKey(["extends"]);

/** A workflow that extends another has no steps of its own. */
function isSteps(path: Path): boolean {
  return path.length === 1 && path[0] === "steps";
}

function faultsOf(value: unknown, issue: Issue, above: Path): Fault[] {
  const path = [...above, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
  const given = valueAt(value, path);
  const type = given === undefined ? "missing" : "other";
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => misspelt(value, path, key));
    case "invalid_union":
      return unionFaults(value, issue, path);
    case "invalid_type":
      return [{ type, finding: error(path, typeWording(issue.expected, given, issue.message, ownerOf(value, path))) }];
    case "invalid_value": {
      const values = issue.values.map(String);
      return [{ type, finding: error(path, choiceWording(values, given, issue.message, ownerOf(value, path))) }];
    }
    case "invalid_key":
      return issue.issues.slice(0, 1).map((inner) => ({
        type: "other",
        finding: error(path, formatWording(inner, path.at(-1)), { at: "key" }),
      }));
    case "invalid_format":
      return [{ type, finding: error(path, formatWording(issue, given)) }];
    case "custom":
      return [{ type: isMap(given) ? "whole" : "other", finding: error(path, customWording(issue, given)) }];
    case "too_big":
    case "too_small":
    case "not_multiple_of":
    case "invalid_element":
      return [{ type, finding: error(path, issue.message) }];
  }
}

function misspelt(value: unknown, path: Path, key: string): Fault {
  const { finding, meant } = unknownKey(value, path, key);
  return meant === null ? { type: "other", finding } : { type: "misspelt", finding, meant: [...path, meant] };
}

function formatWording(
  { code, message }: { readonly code?: string; readonly message: string },
  given: unknown,
): string {
  return code === "invalid_format" ? `${message}, not ${show(given)}` : message;
}

function customWording(issue: Extract<Issue, { code: "custom" }>, given: unknown): string {
  const choices: unknown = issue.params?.choices;
  const known = Array.isArray(choices) ? choices.map(String) : [];
  return typeof given === "string" ? `${issue.message}${didYouMean(given, known)}` : issue.message;
}

/** Reports the problems of the alternative that was probably meant, or the message of the union itself. */
function unionFaults(value: unknown, issue: Extract<Issue, { code: "invalid_union" }>, path: Path): Fault[] {
  if (issue.errors.length === 0) return stepFaults(value, path);
  const [meant, ...more] = issue.errors.filter((errors) => !errors.some(isWrongType));
  if (meant === undefined) {
    return [{ type: "other", finding: error(path, typeWording("", valueAt(value, path), issue.message, "")) }];
  }
  return more.length === 0 ? meant.flatMap((inner) => faultsOf(value, inner, path)) : mapFaults(value, issue, path);
}

function isWrongType({ code, path }: Issue): boolean {
  return code === "invalid_type" && path.length === 0;
}

/** Each alternative of a check has one required key; that key tells which one was meant. */
function mapFaults(value: unknown, issue: Extract<Issue, { code: "invalid_union" }>, path: Path): Fault[] {
  const given = Object.keys(valueAt(value, path) ?? {});
  const lacks = ({ code, path: [key, ...deeper] }: Issue) =>
    code !== "unrecognized_keys" && deeper.length === 0 && !given.includes(String(key));
  const meant = issue.errors.filter((errors) => !errors.some(lacks));
  const [only = [], ...more] = meant;
  if (more.length > 0) {
    const kinds = given.filter((key) => meant.some((errors) => errors.some((inner) => isAbout(inner, key))));
    // A loop has one source of tasks; checks are entries of a list.
    const advice = path.at(-1) === "tasks" ? "name one source" : "write a separate entry for each";
    return [{ type: "other", finding: error(path, `has ${joinWords(kinds, "and")}; ${advice}`) }];
  }
  if (meant.length === 1) return only.flatMap((inner) => faultsOf(value, inner, path));
  const strange = given.filter((key) => issue.errors.every((errors) => errors.some((inner) => isAbout(inner, key))));
  if (strange.length > 0) return strange.map((key) => misspelt(value, path, key));
  return [{ type: "other", finding: error(path, issue.message) }];
}

function isAbout(issue: Issue, key: string): boolean {
  return issue.code === "unrecognized_keys" && issue.keys.includes(key);
}

/** Checks a step of unknown type as the type that was probably meant, or for what all types share. */
function stepFaults(value: unknown, path: Path): Fault[] {
  const above = path.slice(0, -1);
  const step = valueAt(value, above);
  const given = valueAt(value, path);
  if (given === "workflow") return [{ type: "other", finding: error(path, noNestedWorkflows) }];
  const guess = typeof given === "string" ? nearest(given, stepTypes) : null;
  const { error: rest } = guess === null ? AnyStep.safeParse(step) : Step.safeParse({ ...Object(step), type: guess });
  const faults = (rest?.issues ?? []).flatMap((issue) => faultsOf(value, issue, above));
  return [
    { type: given === undefined ? "missing" : "other", finding: error(path, stepTypeWording(value, path)) },
    ...faults,
  ];
}

const AnyStep = z.strictObject({
  ...z.object({ ...LoopStep.shape, ...ActionStep.shape, ...RalphStep.shape, ...CommandStep.shape }).partial().shape,
  id: ActionStep.shape.id,
  type: z.unknown().optional(),
});

function stepTypeWording(value: unknown, path: Path): string {
  const given = valueAt(value, path);
  const owner = ownerOf(value, path);
  const use = `use ${joinWords(stepTypes, "or")}`;
  if (given === undefined || given === null) return `${absent(given, owner)}; ${use}`;
  const hint = typeof given === "string" ? didYouMean(given, stepTypes) : "";
  return `${owner === "" ? "this step" : owner} has ${show(given)} as its type; ${use}${hint}`;
}
