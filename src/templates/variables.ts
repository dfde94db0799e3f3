import { choices, didYouMean } from "../model/nearest.ts";
import { compilePattern } from "../model/pattern/pattern.ts";
import { quote } from "../model/quote.ts";
import { type VariableDeclaration as Declaration, VariableDeclaration, variableTypes } from "../model/template.ts";
import { checkValue } from "../model/variables/check-value.ts";
import { type Entry, entriesOf, everyEntry, fieldsOf, type Outline, textOf } from "./outline.ts";
import { error, type Finding, type Path } from "./problem.ts";

/** Checks variables: the parts of a declaration against each other, and the commands that name or execute one. */
export function variableFindings(template: Outline): Finding[] {
  const executing = everyEntry(template).flatMap((entry) => [
    entry,
    { path: [...entry.path, "tasks"], fields: fieldsOf(entry.fields.tasks) },
    ...["gate", "until"].flatMap((list) => entriesOf(entry.fields[list], [...entry.path, list])),
  ]);
  return [
    ...declarationFindings(template),
    ...executing.flatMap(({ path, fields }) => [
      ...commandFindings(template, [...path, "command"], fields.command),
      ...commandFindings(template, [...path, "run", "command"], fieldsOf(fields.run).command),
      ...shellFindings([...path, "run"], fields.run),
    ]),
  ];
}

/** A command must be in a variable that only a person can set, and it must have a value when it is executed. */
function commandFindings({ variables, declarations }: Outline, path: Path, name: unknown): Finding[] {
  if (typeof name !== "string" || variables === null) return [];
  if (!variables.has(name)) {
    const meant = didYouMean(name, variables);
    const hint = meant === "" ? `${choices(name, variables, "variables has")}; a command line goes under run` : meant;
    return [error(path, `${quote(name)} is not a variable${hint}`)];
  }
  const fields = declarations.find((each) => each.path.at(-1) === name)?.fields;
  if (fields?.type !== "command") {
    const type = textOf(fields?.type);
    const given = type === undefined ? "has no type" : `is of type ${type}`;
    return [error(path, `the variable ${quote(name)} ${given}; only one of type command can be executed`)];
  }
  if (fields.default !== undefined || fields.required === true) return [];
  return [error(path, `the variable ${quote(name)} may have no value; give it a default or required: true`)];
}

const executesVariable = /^\s*(?:(?:eval|exec|command)\s+)*["']?\$\{?HOLDFAST_VAR_(\w*)/;

/** An agent can set most variables, and a shell would execute whatever it set. */
function shellFindings(path: Path, run: unknown): Finding[] {
  const lines = Array.isArray(run) ? run.filter((_, index) => /^-\w*c$/.test(textOf(run[index - 1]) ?? "")) : [run];
  const variable = lines
    .map((line) => executesVariable.exec(textOf(line) ?? "")?.[1])
    .find((name) => name !== undefined);
  if (variable === undefined) return [];
  const name = variable.toLowerCase() || "name";
  return [
    error(
      path,
      `must not begin with a variable, which would be executed; declare ${name} with type: command and write command: ${name}`,
    ),
  ];
}

function declarationFindings({ declarations }: Outline): Finding[] {
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
  // A path from the top of the project is written without it.
  if (typeof checked.value === typeof value)
    return `must be ${quote(String(checked.value))}, not ${quote(String(value))}`;
  if (typeof checked.value === "string")
    return `must be text, not the ${typeof value} ${String(value)}; put it in quotes`;
  return `must be the ${typeof checked.value} ${String(checked.value)}, not ${quote(String(value))}`;
}
