import { type Condition, membersOf, parseCondition, stateFields, stepRoots } from "../model/condition/condition.ts";
import { choices, nearest } from "../model/nearest.ts";
import { taskFields } from "../model/placeholder.ts";
import { quote } from "../model/quote.ts";
import { type Entry, everyEntry, fieldsOf, idOf, type Outline, textOf } from "./outline.ts";
import { error, type Finding, type Path, warning } from "./problem.ts";

/** Checks the `when` of steps and sub-steps: its grammar, and the steps, outcomes and task fields that it names. */
export function conditionFindings(template: Outline): Finding[] {
  return everyEntry(template).flatMap((entry) => {
    const when = textOf(entry.fields.when);
    if (when === undefined || when.trim() === "") return [];
    const here: Here = { template, path: [...entry.path, "when"], text: when, inLoop: entry.path[0] === "loops" };
    const parsed = parseCondition(when, stepRoots);
    if (!parsed.ok) return [at(here, parsed.column, `column ${parsed.column}: ${parsed.problem}`)];
    const members = membersOf(parsed.condition);
    const isConstant = members.length === 0;
    return [
      ...(isConstant ? [warning(here.path, "reads no value, so it is always true or always false")] : []),
      ...members.flatMap((member) => memberFindings(here, member)),
      ...comparisonsIn(parsed.condition).flatMap((comparison) => outcomeFindings(here, comparison)),
    ];
  });
}

interface Here {
  readonly template: Outline;
  readonly path: Path;
  readonly text: string;
  readonly inLoop: boolean;
}

type Member = Extract<Condition, { type: "member" }>;
type Comparison = Extract<Condition, { type: "comparison" }>;

function at({ path, text }: Here, column: number, message: string): Finding {
  return error(path, message, { inside: { text, offset: column - 1 } });
}

function memberFindings(here: Here, { root, path: [name, inner], column }: Member): Finding[] {
  const named = name === undefined ? undefined : String(name);
  switch (root) {
    case "state":
    case "run":
      return runFindings(here, root, named, inner, column);
    case "variables":
      return variableFindings(here, named);
    case "task":
      return taskFindings(here, named, column);
    case "outputs":
    case "outcomes":
      return inner === undefined
        ? stepFindings(here, root, named, column)
        : [at(here, column, `${root}.${named} is a text, so it has no ${quote(String(inner))}`)];
  }
}

/** The fields that the guide names. The run's whole state can be read, too. */
const runFields = ["id", "summary", "workflow"];

function runFindings(
  here: Here,
  root: "state" | "run",
  name: string | undefined,
  inner: string | number | undefined,
  column: number,
): Finding[] {
  const known: readonly string[] = root === "run" ? [...runFields, ...stateFields] : stateFields;
  if (name !== undefined && !known.includes(name)) {
    const hint = root === "run" ? choices(name, new Set(runFields), "a run has") : "";
    return [at(here, column, `${root} has no ${quote(name)}${hint || choices(name, new Set(known), "it has")}`)];
  }
  const { stepIds } = here.template;
  const isStep = name !== "steps" || inner === undefined || stepIds === null || stepIds.has(String(inner));
  return isStep ? [] : [at(here, column, notAStep(String(inner), stepIds))];
}

function notAStep(name: string, stepIds: ReadonlySet<string>): string {
  return `${quote(name)} is not a step${choices(name, stepIds, "the steps are")}`;
}

/** An advance can set a variable that is not declared, so only a name that looks misspelt is reported. */
function variableFindings({ template: { variables }, path }: Here, name: string | undefined): Finding[] {
  if (name === undefined || variables === null || variables.has(name)) return [];
  const meant = nearest(name, variables);
  return meant === null ? [] : [warning(path, `no variable is called ${quote(name)}; did you mean ${meant}?`)];
}

function taskFindings(here: Here, name: string | undefined, column: number): Finding[] {
  if (!here.inLoop) return [at(here, column, "task is only available in the sub-steps of a loop")];
  const fields: readonly string[] = taskFields;
  if (name === undefined || fields.includes(name)) return [];
  return [at(here, column, `a task has no ${quote(name)}${choices(name, new Set(fields), "a task has")}`)];
}

function stepFindings(here: Here, root: "outputs" | "outcomes", name: string | undefined, column: number): Finding[] {
  const { stepIds } = here.template;
  if (name === undefined) return [at(here, column, `${root} must name a step: ${root}.<step>`)];
  if (stepIds === null) return [];
  if (!stepIds.has(name)) return [at(here, column, notAStep(name, stepIds))];
  const isLost = root === "outcomes" && outcomesOf(here.template, name).length === 0;
  return isLost ? [at(here, column, `the step ${quote(name)} has no outcomes`)] : [];
}

/** An outcome is compared with one that its step does not have, so the comparison has only one result. */
function outcomeFindings(here: Here, { sign, left, right }: Comparison): Finding[] {
  if (!["==", "===", "!=", "!==", "in"].includes(sign)) return [];
  const [member, other] = left.type === "member" ? [left, right] : [right, left];
  const step = member.type === "member" && member.root === "outcomes" ? String(member.path[0] ?? "") : "";
  const known = outcomesOf(here.template, step);
  if (member.type !== "member" || known.length === 0) return [];
  const values = other.type === "list" ? other.of : other.type === "value" ? [other.value] : [];
  return values
    .filter((value) => value !== null && !known.includes(String(value)))
    .map((value) => {
      const hint = choices(String(value), new Set(known), "it has");
      const column = other.type === "value" ? other.column : member.column;
      return at(here, column, `${quote(String(value))} is not an outcome of ${quote(step)}${hint}`);
    });
}

function outcomesOf({ steps }: Outline, id: string): readonly string[] {
  const step = steps.find(({ fields }: Entry) => idOf(fields) === id);
  return Object.keys(fieldsOf(step?.fields.outcomes));
}

function comparisonsIn(condition: Condition): readonly Comparison[] {
  switch (condition.type) {
    case "value":
    case "list":
    case "member":
      return [];
    case "not":
    case "size":
      return comparisonsIn(condition.of);
    case "every":
    case "some":
      return condition.of.flatMap(comparisonsIn);
    case "comparison":
      return [condition, ...comparisonsIn(condition.left), ...comparisonsIn(condition.right)];
  }
}
