import { Template } from "../model/template.ts";
import { hashTemplate } from "./hash.ts";
import { outline } from "./outline.ts";
import { error, type Finding, type Problem, pathKey, pathText } from "./problem.ts";
import { checkReferences } from "./references.ts";
import { reservedKeys } from "./reserved.ts";
import type { SizeOf } from "./sizes.ts";
import { type ReadableSource, readSource } from "./source.ts";
import { readStructure, type Structure } from "./structure.ts";
import { type Fields, isMap } from "./value.ts";
import { findWarnings } from "./warnings.ts";
import { show } from "./wording.ts";

/** A valid template, or all of its problems. A template with problems is never loaded in part. */
export type Reading =
  | { readonly ok: true; readonly template: Template; readonly hash: string; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };

/**
 * Reads a workflow and reports all problems at once, with line and column. With `sizeOf`, files that are large or missing, too. A workflow
 * that extends another is refused here; `loadWorkflow` in `reuse/` reads its bases.
 */
export function loadTemplate(content: Uint8Array | string, sizeOf: SizeOf = () => 0): Reading {
  const source = readSource(content);
  if (!source.readable) return { ok: false, problems: limited(source.problems), warnings: [] };
  return readAlone(source, sizeOf);
}

/** The same for a text that is already parsed. */
export function readAlone(source: ReadableSource, sizeOf: SizeOf): Reading {
  const { template, findings } = check(source.value, sizeOf);
  return conclude(template, [...source.problems, ...findings.map(source.place)]);
}

/** Checks a workflow that is already a plain object; its problems have paths but no positions. */
export function checkTemplate(value: unknown): Reading {
  const { template, findings } = check(value, () => null);
  const problems = findings.map(({ severity, path, message }) => ({
    severity,
    path: pathText(path),
    message,
    position: null,
  }));
  return conclude(template, problems);
}

/** The template that a plain value is, or everything that is wrong with it. */
export function check(raw: unknown, sizeOf: SizeOf): Structure {
  if (!isMap(raw)) return { template: null, findings: [notAWorkflow(raw)] };
  if (Object.hasOwn(raw, "extends")) return { template: null, findings: [extendsUnread()] };
  const { change, ...value } = withoutEmptyParts(raw);
  const reserved = reservedKeys(value);
  const { template, findings } = readStructure(value, reserved);
  const names = outline(value);
  const lost = change === undefined ? [] : [error(["change"], changeAlone, { at: "key" })];
  return {
    template,
    findings: withoutEchoes([reserved, lost, findings, checkReferences(names), findWarnings(names, sizeOf)]),
  };
}

export const changeAlone = "changes the workflow that extends names, and there is no extends";

function extendsUnread(): Finding {
  const message = "the workflow that it extends is found only when it is loaded from a file";
  return error(["extends"], message, { at: "key" });
}

export function notAWorkflow(value: unknown): Finding {
  const workflow = "a workflow is a map with name, description and steps";
  const empty = value === null || value === undefined;
  return error([], empty ? `the workflow is empty; ${workflow}` : `${workflow}, not ${show(value)}`);
}

/** `agents:` without a value means no agents. */
export function withoutEmptyParts(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).filter(([key, part]) => part !== null || !isOptional(key)));
}

function isOptional(key: string): boolean {
  return key === "change" || (Object.hasOwn(Template.shape, key) && !["name", "description", "steps"].includes(key));
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

/** All that was found, in the order of the text: the template only if nothing is an error. */
export function conclude(template: Template | null, found: readonly Problem[]): Reading {
  const sorted = [...found].sort(byPosition);
  const problems = limited(sorted.filter(({ severity }) => severity === "error"));
  const warnings = limited(sorted.filter(({ severity }) => severity === "warning"));
  if (template === null || problems.length > 0) return { ok: false, problems, warnings };
  return { ok: true, template, hash: hashTemplate(template), warnings };
}

/** The problems of each file stay together, and the file that was asked for comes first. */
function byPosition(a: Problem, b: Problem): number {
  if (a.file !== b.file) return (a.file ?? "") < (b.file ?? "") ? -1 : 1;
  if (a.position === null || b.position === null) return 0;
  return a.position.line - b.position.line || a.position.column - b.position.column;
}

/** A file with more problems is probably not a workflow. */
const problemsShown = 200;

function limited(problems: readonly Problem[]): readonly Problem[] {
  const [next] = problems.slice(problemsShown);
  if (next === undefined) return problems;
  const more = { ...next, path: "", message: `and ${problems.length - problemsShown} more` };
  return [...problems.slice(0, problemsShown), more];
}
