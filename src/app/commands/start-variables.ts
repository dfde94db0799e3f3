import { findCommandVariable, typeVariables } from "../../engine/commands/typed-variables.ts";
import type { VariableValue } from "../../model/ids.ts";
import type { Template, VariableDeclaration } from "../../model/template.ts";
import { type CheckedValue, checkValue } from "../../model/variables/check-value.ts";
import { declarationsOf } from "../../model/variables/declared.ts";
import { describeVariable, describeVariables } from "../../model/variables/describe.ts";
import { readsVariable } from "../../model/variables/names-read.ts";
import { type Deps, type No, no, type Outcome, yes } from "../../operation/operation.ts";
import { machineOf, portableValue } from "../privacy/portable-text.ts";
import { agentBehind, personOf } from "../workflows/person.ts";

type Values = Readonly<Record<string, VariableValue>>;

/** What a start says about its variables. */
export interface StartVariables {
  /** The workflow as the caller named it, which is what a person types, too. */
  readonly workflow: string;
  readonly variables?: Values | undefined;
  readonly trust?: boolean | undefined;
  /** Set on a reset, which takes over what the old run had: also variables that it has set itself. */
  readonly replaces?: string | undefined;
}

/** Refuses a variable that is unknown, that only a person may set, or that does not fit its type. */
export async function checkGiven(deps: Deps, template: Template, given: StartVariables): Promise<Outcome<Values>> {
  const { variables = {}, replaces } = given;
  const unknown = replaces === undefined ? refuseUnknown(template, variables) : null;
  const refused = unknown ?? (await refuseCommand(deps, template, given));
  if (refused !== null) return refused;
  const portable = portableValue(machineOf(deps), deps.roots.projectRoot, variables);
  const typed = typeVariables(template, portable);
  if (!typed.ok) return typed;
  return refuseUnportable(template, variables, portable) ?? yes(typed.values);
}

/** Asks the person at the terminal for required variables that are missing; refuses if there is nobody to ask. */
export async function completeRequired(
  deps: Deps,
  template: Template,
  workflow: string,
  given: Values,
): Promise<Outcome<Values>> {
  const missing = missingRequired(template, given);
  if (missing.length === 0) return yes(given);
  const answers = await askFor(deps, missing);
  if (answers !== null) {
    const checked = await checkGiven(deps, template, { workflow, variables: answers });
    return checked.ok ? yes({ ...given, ...checked.value }) : checked;
  }
  return no({
    code: "variable-missing",
    workflow,
    missing: missing.map(([name]) => name),
    about: missing.map(([name, declaration]) => describeVariable(name, declaration)),
    commands: missing.flatMap(([name, { type }]) => (type === "command" ? [name] : [])),
  });
}

/** `holdfast trust <workflow>` trusts the defaults, so the refusal of commands that this start gives says something else. */
export function markGiven({ refusal }: No, template: Template, given: Values): No {
  const isGiven = refusal.code === "template-untrusted" && findCommandVariable(template, given) !== null;
  return no(isGiven ? { ...refusal, given: true } : refusal);
}

/** The required variables that have neither a value nor a default. */
export function missingRequired(
  template: Template,
  given: Values,
): readonly (readonly [string, VariableDeclaration])[] {
  return declarationsOf(template).filter(
    ([name, { required, default: value }]) => required === true && value === undefined && !Object.hasOwn(given, name),
  );
}

/** A misspelt variable would leave its default in place without a word. */
export function refuseUnknown(template: Template, given: Values): No | null {
  const known = Object.keys(template.variables ?? {});
  const variable = Object.keys(given).find((name) => !known.includes(name) && !readsVariable(template, name));
  if (variable === undefined) return null;
  const declared = describeVariables(template);
  return no({ code: "variable-unknown", workflow: template.name, variable, known, declared });
}

/** A command is executed as it is, so only a person sets it; `--trust` is a person's word for a script, as for CI. */
async function refuseCommand(deps: Deps, template: Template, given: StartVariables): Promise<No | null> {
  const variable = findCommandVariable(template, given.variables ?? {});
  if (variable === null) return null;
  const isScript = given.trust === true && deps.caller.face === "cli" && agentBehind(deps.caller) === undefined;
  if (isScript || (await personOf(deps, "setting a command")).ok) return null;
  return no({ code: "variable-protected", variable, workflow: given.workflow });
}

/** The journal keeps no path and no secret of this machine, and a command without them would be another one. */
function refuseUnportable(template: Template, sent: Values, portable: Values): No | null {
  const commands = declarationsOf(template).flatMap(([name, { type }]) => (type === "command" ? [name] : []));
  const variable = commands.find((name) => sent[name] !== portable[name]);
  if (variable === undefined) return null;
  const problem =
    "contains a path or a secret of this machine, which is not stored with a run; " +
    "write a path inside the project, $HOME, or the name of the environment variable";
  return no({ code: "variable-invalid", variable, problem, declared: describeVariables(template) });
}

/** How often a person may mistype one value. */
const mostAttempts = 3;

/** Null if nobody can be asked, or if the person gave up. */
async function askFor(
  deps: Deps,
  missing: readonly (readonly [string, VariableDeclaration])[],
): Promise<Readonly<Record<string, string>> | null> {
  const { ask } = deps.caller;
  // A terminal that an agent drives has nobody to ask.
  if (ask === undefined || agentBehind(deps.caller) !== undefined) return null;
  const answers: [string, string][] = [];
  for (const [name, declaration] of missing) {
    const check = (answer: string) =>
      checkValue(declaration, portableValue(machineOf(deps), deps.roots.projectRoot, answer));
    const value = await askForOne(ask, describeVariable(name, declaration), check);
    if (value === null) return null;
    answers.push([name, value]);
  }
  return Object.fromEntries(answers);
}

async function askForOne(
  ask: NonNullable<Deps["caller"]["ask"]>,
  question: string,
  check: (answer: string) => CheckedValue,
): Promise<string | null> {
  let problem = "";
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const answer = (await ask(`${problem}${question}`)).trim();
    if (answer === "") return null;
    const checked = check(answer);
    if (checked.ok) return answer;
    problem = `The value ${checked.problem}.\n`;
  }
  return null;
}
