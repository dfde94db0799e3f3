import { Template } from "../model/template.ts";
import { hashTemplate } from "./hash.ts";
import { outline } from "./outline.ts";
import { error, type Finding, type Problem, pathKey, pathText } from "./problem.ts";
import { checkReferences } from "./references.ts";
import { reservedKeys } from "./reserved.ts";
import type { SizeOf } from "./sizes.ts";
import { readSource } from "./source.ts";
import { readStructure, type Structure } from "./structure.ts";
import { type Fields, isMap } from "./value.ts";
import { findWarnings } from "./warnings.ts";
import { show } from "./wording.ts";

/** A valid template, or all of its problems. A template with problems is never loaded in part. */
export type Reading =
  | { readonly ok: true; readonly template: Template; readonly hash: string; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };

/** Reads a workflow file and reports all problems at once, with line and column. With `sizeOf`, large artifacts too. */
export function loadTemplate(content: Uint8Array | string, sizeOf: SizeOf = () => null): Reading {
  const source = readSource(content);
  if (!source.readable) return { ok: false, problems: limited(source.problems), warnings: [] };
  return conclude(check(source.value, sizeOf), source.problems, source.place);
}

/** Checks a workflow that is already a plain object; its problems have paths but no positions. */
export function checkTemplate(value: unknown): Reading {
  return conclude(
    check(value, () => null),
    [],
    ({ severity, path, message }) => ({
      severity,
      path: pathText(path),
      message,
      position: null,
    }),
  );
}

function check(raw: unknown, sizeOf: SizeOf): Structure {
  if (!isMap(raw)) return { template: null, findings: [notAWorkflow(raw)] };
  const value = withoutEmptyParts(raw);
  const reserved = reservedKeys(value);
  const { template, findings } = readStructure(value, reserved);
  const names = outline(value);
  return {
    template,
    findings: withoutEchoes([reserved, findings, checkReferences(names), findWarnings(names, sizeOf)]),
  };
}

function notAWorkflow(value: unknown): Finding {
  const workflow = "a workflow is a map with name, description and steps";
  const empty = value === null || value === undefined;
  return error([], empty ? `the workflow is empty; ${workflow}` : `${workflow}, not ${show(value)}`);
}

/** `agents:` without a value means no agents. */
function withoutEmptyParts(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).filter(([key, part]) => part !== null || !isOptional(key)));
}

function isOptional(key: string): boolean {
  return Object.hasOwn(Template.shape, key) && !["name", "description", "steps"].includes(key);
}

/**
 * Keeps only the first group of findings for each value, so that one mistake is not reported twice. A piece of a text is
 * another mistake than the key of the text.
 */
function withoutEchoes(groups: readonly (readonly Finding[])[]): Finding[] {
  const reported = new Set<string>();
  const reportedValues = new Set<string>();
  return groups.flatMap((group) => {
    const fresh = group.filter(({ path, excerpt }) => {
      return !(excerpt === undefined ? reported : reportedValues).has(pathKey(path));
    });
    for (const { path, at } of fresh) {
      reported.add(pathKey(path));
      if (at !== "key") reportedValues.add(pathKey(path));
    }
    return fresh;
  });
}

function conclude(
  { template, findings }: Structure,
  before: readonly Problem[],
  place: (finding: Finding) => Problem,
): Reading {
  const placed = [...before, ...findings.map(place)].sort(byPosition);
  const problems = limited(placed.filter(({ severity }) => severity === "error"));
  const warnings = limited(placed.filter(({ severity }) => severity === "warning"));
  if (template === null || problems.length > 0) return { ok: false, problems, warnings };
  return { ok: true, template, hash: hashTemplate(template), warnings };
}

function byPosition({ position: a }: Problem, { position: b }: Problem): number {
  return a === null || b === null ? 0 : a.line - b.line || a.column - b.column;
}

/** A file with more problems is probably not a workflow. */
const problemsShown = 200;

function limited(problems: readonly Problem[]): readonly Problem[] {
  const [next] = problems.slice(problemsShown);
  if (next === undefined) return problems;
  const more = { ...next, path: "", message: `and ${problems.length - problemsShown} more` };
  return [...problems.slice(0, problemsShown), more];
}
