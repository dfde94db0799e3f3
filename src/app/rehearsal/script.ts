import * as z from "zod";
import { failureVerdicts, reviewVerdicts } from "../../engine/verdicts.ts";
import { Identifier, Name, VariableValue } from "../../model/ids.ts";
import { choices, didYouMean } from "../../model/nearest.ts";
import { oneOf } from "../../model/one-of.ts";
import { quote } from "../../model/quote.ts";
import type { Template } from "../../model/template.ts";
import { budgetLimits } from "../../model/visit-rules.ts";
import { error, type Finding, type Path, type Problem, pathText } from "../../templates/problem.ts";
import { readSource } from "../../templates/source.ts";
import { isMap, valueAt } from "../../templates/value.ts";
import { show, typeWording } from "../../templates/wording.ts";

const result = oneOf("result", ["pass", "fail"]);
const text = z.string().refine((value) => value.trim() !== "", "must not be empty");

/** What happens at one visit: what the agent answers, what the gates say, and what a person decides. */
const Answer = z.strictObject({
  output: z.string().optional(),
  outcome: Name.optional(),
  variables: z.record(Identifier, VariableValue).optional(),
  /** The agent reports that it cannot do this, and why. */
  fail: text.optional(),
  /** What the gates say that Holdfast would have to run or to look for. */
  gates: result.optional(),
  until: result.optional(),
  /** The tasks of a loop; a text is the title of one. */
  tasks: z
    .array(z.union([z.string(), z.record(z.string(), z.unknown())], { error: "must be text or a map" }))
    .optional(),
  /** How a command step ends. */
  exit: z.int("must be a whole number").min(0, "must be 0 or more").max(255, "must be 255 at most").optional(),
  /** The limit of the step's budget, or of the whole run's, that is reached before the agent answers. */
  spend: oneOf("limit", budgetLimits).optional(),
  approve: z.union([z.literal(true), text], { error: "must be true, or what is said with the approval" }).optional(),
  reject: text.optional(),
  decide: z
    .union(
      [oneOf("decision", [...new Set([...failureVerdicts, ...reviewVerdicts])]), z.strictObject({ go_to: Name })],
      {
        error: "must be a decision such as retry, or a map with go_to",
      },
    )
    .optional(),
  /** What is said with the decision. */
  reason: text.optional(),
});
export type Answer = z.infer<typeof Answer>;

const places = z.union([z.string(), z.array(z.string())], { error: "must be text or a list of texts" });

const Expected = z.strictObject({
  status: oneOf("status", ["complete", "failed", "waiting", "review"]).optional(),
  /** All visits in order, without their numbers. */
  path: z.array(z.string()).optional(),
  /** Pieces of what the agent is told at a place. */
  told: z.record(z.string(), places).optional(),
});
export type Expected = z.infer<typeof Expected>;

const Script = z.strictObject({
  request: z.string().optional(),
  variables: z.record(Identifier, VariableValue).optional(),
  answers: z.record(z.string(), z.unknown()).optional(),
  expect: Expected.optional(),
});

/** One answer, and where it stands in the script. */
export interface ScriptedAnswer {
  readonly path: Path;
  readonly answer: Answer;
}

export interface ScriptedPlace {
  /** A list has one answer for each try; a single answer is given every time. */
  readonly isList: boolean;
  readonly answers: readonly ScriptedAnswer[];
}

export interface ReadScript extends Omit<z.infer<typeof Script>, "answers"> {
  readonly answers: ReadonlyMap<string, ScriptedPlace>;
  /** Gives a finding its line and column. */
  readonly place: (finding: Finding) => Problem;
}

export const noScript: ReadScript = {
  answers: new Map(),
  place: ({ severity, path, message }) => ({ severity, path: pathText(path), message, position: null }),
};

export type ScriptReading =
  | { readonly ok: true; readonly script: ReadScript }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads a script for this workflow, or reports everything that is wrong with it. */
export function readScript(content: string, template: Template): ScriptReading {
  const source = readSource(content);
  if (!source.readable) return { ok: false, problems: source.problems };
  const { place } = source;
  const value = source.value ?? {};
  if (!isMap(value)) return { ok: false, problems: [place(error([], `a script is a map, not ${show(value)}`))] };
  // `answers:` without a value means none.
  const given = Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null));
  const parsed = Script.safeParse(given);
  const entries = Object.entries(isMap(given.answers) ? given.answers : {}).map(
    ([key, answer]) => [key, readPlace(template, key, answer)] as const,
  );
  const findings = [
    ...findingsOf(given, parsed.error?.issues ?? [], []),
    ...entries.flatMap(([, { findings: inner }]) => inner),
  ];
  const problems = [...source.problems, ...findings.map(place)];
  if (!parsed.success || problems.length > 0) return { ok: false, problems };
  return { ok: true, script: { ...parsed.data, answers: new Map(entries), place } };
}

function readPlace(template: Template, key: string, value: unknown): ScriptedPlace & { findings: readonly Finding[] } {
  const path: Path = ["answers", key];
  const isList = Array.isArray(value);
  const read = isList
    ? value.map((each: unknown, index) => readAnswer(each, [...path, index]))
    : [readAnswer(value, path)];
  const empty = isList && value.length === 0 ? [error(path, "must have at least one answer")] : [];
  return {
    isList,
    answers: read.flatMap(({ answer }) => (answer === null ? [] : [answer])),
    findings: [...unknownPlace(template, key, path), ...empty, ...read.flatMap(({ findings }) => findings)],
  };
}

function readAnswer(value: unknown, path: Path): { answer: ScriptedAnswer | null; findings: readonly Finding[] } {
  if (typeof value === "string") return { answer: { path, answer: { output: value } }, findings: [] };
  if (!isMap(value)) {
    const message = `must be the agent's answer as text, or a map such as { outcome: approved }, not ${show(value)}`;
    return { answer: null, findings: [error(path, message)] };
  }
  const parsed = Answer.safeParse(value);
  if (!parsed.success) return { answer: null, findings: findingsOf(value, parsed.error.issues, path) };
  const both = parsed.data.approve !== undefined && parsed.data.reject !== undefined;
  const findings = both ? [error([...path, "reject"], "a visit is approved or rejected, not both")] : [];
  return { answer: { path, answer: parsed.data }, findings };
}

/** `plan`, `build/verify`, or `build/t1/verify` for one task only. */
function unknownPlace(template: Template, key: string, path: Path): Finding[] {
  const [step = "", ...rest] = key.split("/");
  const ids = new Set(template.steps.map(({ id }) => id));
  if (!ids.has(step)) {
    return [error(path, `there is no step ${quote(step)}${choices(step, ids, "the steps are")}`, { at: "key" })];
  }
  const subSteps = new Set((template.loops?.[step] ?? []).map(({ id }) => id));
  const subStep = rest.at(-1);
  if (subStep === undefined || (rest.length <= 2 && subSteps.has(subStep))) return [];
  const message = `the step ${quote(step)} has no sub-step ${quote(subStep)}${choices(subStep, subSteps, "its sub-steps are")}`;
  return [error(path, message, { at: "key" })];
}

function findingsOf(value: unknown, issues: readonly z.core.$ZodIssue[], above: Path): Finding[] {
  return issues.flatMap((issue) => {
    const inner = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
    const path = [...above, ...inner];
    const given = valueAt(value, inner);
    if (issue.code === "unrecognized_keys") {
      const known = new Set(above.length === 0 && inner.length === 0 ? Object.keys(Script.shape) : knownKeys(inner));
      return issue.keys.map((key) =>
        error([...path, key], `unknown key ${quote(key)}${choices(key, known, "known keys:")}`, { at: "key" }),
      );
    }
    if (issue.code === "invalid_value" && typeof given === "string") {
      return [error(path, `${issue.message}${didYouMean(given, issue.values.map(String))}`)];
    }
    const expected = "expected" in issue ? String(issue.expected) : "";
    return [error(path, typeWording(expected, given, issue.message, ""))];
  });
}

function knownKeys(inner: Path): string[] {
  return Object.keys(inner[0] === "expect" ? Expected.shape : Answer.shape);
}
