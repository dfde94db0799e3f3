import { runProjectRoot } from "../../journal/outputs.ts";
import type { Command } from "../../model/command.ts";
import { VariableValue as Value, type VariableValue } from "../../model/ids.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Deps } from "../../operation/operation.ts";
import { machineOf, portableValue } from "./portable-text.ts";

type Field<C> = C extends C ? keyof C : never;

/** The fields with free text; all others are names, tokens or numbers. */
const freeTextFields = [
  "output",
  "summary",
  "request",
  "reason",
  "feedback",
  "question",
  "answer",
  "tasks",
  "edits",
  "variables",
  "seat",
  "text",
] as const satisfies readonly Field<Command>[];

/** Makes a command's texts portable: they go into the journal, and the journal may move to other machines. */
export function portableCommand<C extends Command>(deps: Deps, run: StartedRun | null, command: C): C {
  const projectRoot = run === null ? deps.roots.projectRoot : runProjectRoot(deps.roots, run);
  const machine = machineOf(deps);
  let portable = command;
  for (const name of freeTextFields) {
    const value: unknown = Reflect.get(command, name);
    if (value === undefined) continue;
    const clean = portableValue(machine, projectRoot, value);
    // Usually nothing has to be replaced, so nothing is copied.
    if (clean !== value)
      portable = { ...portable, [name]: name === "variables" ? withinLimits(clean as Variables) : clean };
  }
  return portable;
}

type Variables = Readonly<Record<string, VariableValue>>;

/** A placeholder may be longer than what it replaces, and a variable has a maximum length. */
function withinLimits(variables: Variables): Variables {
  const cut = (value: VariableValue) => (Value.safeParse(value).success ? value : String(value).slice(0, 10_000));
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, cut(value)]));
}
