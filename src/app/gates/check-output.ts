import { join } from "node:path";
import type { OutputCheck } from "../../model/gate.ts";
import { parseJson } from "../../model/json.ts";
import { beginning, compilePattern, follow, isMatched, mostSteps, stepsOf } from "../../model/pattern/pattern.ts";
import { quote } from "../../model/quote.ts";
import { readInside } from "../../platform/path-inside.ts";
import { systemProblem } from "../../platform/system-problem.ts";
import { BadSchema, misfit } from "./match-schema.ts";

/** What an answer lacks; null if it is as the check wants it. */
export function checkOutput(projectRoot: string, { output: wanted }: OutputCheck, answer: string): string | null {
  if ("contains" in wanted) {
    return answer.includes(wanted.contains) ? null : `the output does not contain ${quote(wanted.contains)}`;
  }
  return "matches" in wanted ? lacksMatch(wanted.matches, answer) : lacksShape(projectRoot, wanted.schema, answer);
}

function lacksMatch(text: string, answer: string): string | null {
  const compiled = compilePattern(text, { anywhere: true });
  if (!compiled.ok) return `the pattern ${quote(text)} of this gate is invalid: ${compiled.problem}`;
  const { pattern } = compiled;
  if (stepsOf(pattern, answer) > mostSteps) return `the output is too long to look for ${quote(text)} in all of it`;
  // Files and programs end what they write with a line break; `$` is also before it.
  const body = answer.replace(/\r?\n$/, "");
  const reached = follow(pattern, beginning(pattern), body);
  const isFound =
    isMatched(pattern, reached) || isMatched(pattern, follow(pattern, reached, answer.slice(body.length)));
  return isFound ? null : `the output does not match ${quote(text)}`;
}

const largestSchema = 1_000_000;

function lacksShape(projectRoot: string, path: string, answer: string): string | null {
  const schema = readSchema(projectRoot, path);
  if (typeof schema === "string") return `the schema ${path} of this gate cannot be used: ${schema}`;
  const value = jsonIn(answer);
  if (value === undefined) return "the output is not JSON, and has no block of JSON between ``` lines";
  try {
    return misfit(schema.value, value);
  } catch (error) {
    if (!(error instanceof BadSchema)) throw error;
    return `the schema ${path} of this gate cannot be used: ${error.message}`;
  }
}

function readSchema(projectRoot: string, path: string): { readonly value: unknown } | string {
  try {
    const bytes = readInside(projectRoot, join(projectRoot, path), largestSchema, "inside");
    const value = parseJson(bytes.toString("utf8"));
    return value === undefined ? "it is not JSON" : { value };
  } catch (error) {
    const problem = systemProblem(error);
    if (problem === null) throw error;
    return problem;
  }
}

/** The answer itself as JSON, or the last block of JSON in it. */
function jsonIn(answer: string): unknown {
  const blocks = [...answer.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  return [answer, ...blocks.reverse()].map(parseJson).find((value) => value !== undefined);
}
