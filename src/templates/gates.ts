import { isAbsolute } from "node:path";
import { compilePattern } from "../model/pattern/pattern.ts";
import { quote } from "../model/quote.ts";
import { type Entry, entriesOf, everyEntry, fieldsOf, type Outline, textOf } from "./outline.ts";
import { error, type Finding, type Path, warning } from "./problem.ts";
import type { SizeOf } from "./sizes.ts";

interface OutputCheck {
  readonly path: Path;
  readonly matches: string | undefined;
  readonly schema: string | undefined;
}

/** Checks what gates want of an answer: patterns that can be matched, and schemas inside the project. */
export function outputFindings(template: Outline): Finding[] {
  return outputChecks(template).flatMap(({ path, matches, schema }) => [
    ...(matches === undefined ? [] : patternFindings([...path, "matches"], matches)),
    ...(schema === undefined || !isOutside(schema) ? [] : [error([...path, "schema"], insideOnly)]),
  ]);
}

/** Only files inside the project count for `exists`. */
export function lostFiles(template: Outline): Finding[] {
  return checksIn(template).flatMap(({ path, fields: { exists } }) =>
    [exists].flat().flatMap((file) => {
      const isLost = typeof file === "string" && file.trim() !== "" && isOutside(file);
      return isLost ? [warning([...path, "exists"], `never holds: ${quote(file)} is outside the project`)] : [];
    }),
  );
}

/** A schema may be written later, by a step of the workflow itself. */
export function missingSchemas(template: Outline, sizeOf: SizeOf): Finding[] {
  return outputChecks(template).flatMap(({ path, schema }) =>
    schema === undefined || schema.trim() === "" || isOutside(schema) || sizeOf(schema) !== null
      ? []
      : [warning([...path, "schema"], "there is no such file; until there is one, the gate fails")],
  );
}

function outputChecks(template: Outline): OutputCheck[] {
  return checksIn(template).map(({ path, fields }) => {
    const output = fieldsOf(fields.output);
    return { path: [...path, "output"], matches: textOf(output.matches), schema: textOf(output.schema) };
  });
}

function checksIn(template: Outline): Entry[] {
  return everyEntry(template).flatMap(({ path, fields }) =>
    ["gate", "until"].flatMap((list) => entriesOf(fields[list], [...path, list])),
  );
}

function patternFindings(path: Path, pattern: string): Finding[] {
  const compiled = compilePattern(pattern, { anywhere: true });
  if (compiled.ok) return [];
  const { column, problem } = compiled;
  return [error(path, `column ${column}: ${problem}`, { inside: { text: pattern, offset: column - 1 } })];
}

export const insideOnly = "must be a path inside the project, from its top";

export function isOutside(path: string): boolean {
  return isAbsolute(path) || path.includes("\0") || path.split(/[/\\]/).includes("..");
}
