import type { Template } from "../model/template.ts";
import { hashTemplate } from "./hash.ts";
import { checkMeaning } from "./meaning.ts";
import { fieldsOf } from "./outline.ts";
import { error, type Finding, type Problem, pathText } from "./problem.ts";
import { readSource } from "./source.ts";
import { readStructure } from "./structure.ts";

/** A template that may be run, or everything that keeps it from being run. Nothing loads half. */
export type Reading =
  | { readonly ok: true; readonly template: Template; readonly hash: string; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };

/** Reads a workflow file. Every problem is found in one go, with its line and column. */
export function loadTemplate(content: Uint8Array | string): Reading {
  const source = readSource(content);
  if (source.value === undefined) return { ok: false, problems: source.problems, warnings: [] };
  return conclude(source.value, source.problems, source.place);
}

/** Reads a workflow that is already a plain value; its problems have paths and no positions. */
export function checkTemplate(value: unknown): Reading {
  return conclude(value, [], ({ severity, path, message }) => ({
    severity,
    path: pathText(path),
    message,
    position: null,
  }));
}

function conclude(raw: unknown, before: readonly Problem[], place: (finding: Finding) => Problem): Reading {
  const value = withoutEmptyParts(raw);
  const shaped = typeof value === "object" && value !== null && !Array.isArray(value);
  const structure = shaped ? readStructure(value) : { template: null, findings: [notAWorkflow] };
  const placed = [...structure.findings, ...checkMeaning(value)].map(place);
  const problems = inOrder([...before, ...placed.filter((problem) => problem.severity === "error")]);
  const warnings = inOrder(placed.filter((problem) => problem.severity === "warning"));
  const { template } = structure;
  if (template === null || problems.length > 0) return { ok: false, problems, warnings };
  return { ok: true, template, hash: hashTemplate(template), warnings };
}

const notAWorkflow = error([], "a workflow is a map with name, description and steps");

/** `agents:` with nothing behind it means no agents. */
function withoutEmptyParts(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(fieldsOf(value)).filter(([key, part]) => part !== null || isRequired(key)));
}

function isRequired(key: string): boolean {
  return key === "name" || key === "description" || key === "steps";
}

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const place = ({ position }: Problem) => (position === null ? 0 : position.line * 100_000 + position.column);
  return [...problems].sort((a, b) => place(a) - place(b));
}
