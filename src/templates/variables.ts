import { compilePattern } from "../model/pattern/pattern.ts";
import { quote } from "../model/quote.ts";
import { type VariableDeclaration as Declaration, VariableDeclaration, variableTypes } from "../model/template.ts";
import { checkValue } from "../model/variables/check-value.ts";
import { type Entry, type Outline, textOf } from "./outline.ts";
import { error, type Finding } from "./problem.ts";

/** Checks the parts of a variable's declaration against each other. */
export function variableFindings({ declarations }: Outline): Finding[] {
  const known = declarations.filter(({ fields }) => variableTypes.some((type) => type === fields.type));
  return known.flatMap((entry) => {
    const own = [...choiceFindings(entry), ...patternFindings(entry), ...requiredFindings(entry)];
    return own.length === 0 ? defaultFindings(entry) : own;
  });
}

function choiceFindings({ path, fields }: Entry): Finding[] {
  const { type, choices: given } = fields;
  if (type === "choice" && given === undefined) return [error(path, "a variable of type choice needs choices")];
  if (given === undefined) return [];
  if (type !== "choice") {
    return [
      error(
        [...path, "choices"],
        `a variable of type ${String(type)} cannot have choices; only one of type choice can`,
      ),
    ];
  }
  const values: readonly unknown[] = Array.isArray(given) ? given : [];
  return values.flatMap((value, index) =>
    values.indexOf(value) < index ? [error([...path, "choices", index], `${quote(String(value))} is named twice`)] : [],
  );
}

const withPattern: readonly unknown[] = ["text", "path"];

function patternFindings({ path, fields }: Entry): Finding[] {
  const pattern = textOf(fields.pattern);
  if (pattern === undefined) return [];
  const here = [...path, "pattern"];
  if (!withPattern.includes(fields.type)) {
    return [error(here, `a variable of type ${String(fields.type)} cannot have a pattern; only text or path can`)];
  }
  const compiled = compilePattern(pattern);
  if (compiled.ok) return [];
  const { column, problem } = compiled;
  return [error(here, `column ${column}: ${problem}`, { inside: { text: pattern, offset: column - 1 } })];
}

function requiredFindings({ path, fields }: Entry): Finding[] {
  if (fields.required !== true || fields.default === undefined) return [];
  return [error([...path, "required"], "a variable with a default is never missing; remove required or default")];
}

/** A default is written in the file, so it must have its type already: "3" is no number here. */
function defaultFindings({ path, fields }: Entry): Finding[] {
  const declaration = VariableDeclaration.safeParse(fields);
  if (!declaration.success || declaration.data.default === undefined) return [];
  const problem = problemOf(declaration.data, declaration.data.default);
  return problem === null ? [] : [error([...path, "default"], problem)];
}

function problemOf(declaration: Declaration, value: string | number | boolean): string | null {
  const checked = checkValue(declaration, value);
  if (!checked.ok) return checked.problem;
  if (checked.value === value) return null;
  return `must be ${typeof checked.value === "string" ? "text" : `the ${typeof checked.value} ${String(checked.value)}`}, not ${
    typeof value === "string" ? quote(value) : `the ${typeof value} ${String(value)}; put it in quotes`
  }`;
}
