import type { Command } from "../model/command.ts";
import { VariableValue as Value, type VariableValue } from "../model/ids.ts";
import type { StartedRun } from "../model/run.ts";
import type { Deps } from "./operation.ts";
import { projectRootOf } from "./outputs.ts";
import { machineOf, portableValue } from "./portable-text.ts";

/** Where a caller writes in words of its own; everything else is a name, a token or a number. */
const worded = ["output", "summary", "reason", "feedback", "question", "answer", "tasks", "edits"] as const;

/** A command as it may be kept: what goes into a journal goes wherever the journal goes. */
export function portableCommand<C extends Command>(deps: Deps, run: StartedRun | null, command: C): C {
  const fields = Object.entries(command).filter(([name]) => isWorded(name) || name === "variables");
  if (fields.every(([, value]) => value === undefined)) return command;
  const projectRoot = run === null ? deps.roots.projectRoot : projectRootOf(deps.roots, run);
  const portable = <T>(value: T) => portableValue(machineOf(deps), projectRoot, value);
  const swapped = fields.map(([name, value]) => [
    name,
    name === "variables" ? withinLimits(portable(value)) : portable(value),
  ]);
  return { ...command, ...Object.fromEntries(swapped) };
}

function isWorded(name: string): boolean {
  return worded.some((each) => each === name);
}

/** A placeholder may be longer than what it stands for; a variable has a length that it may not pass. */
function withinLimits(variables: Readonly<Record<string, VariableValue>> | undefined): typeof variables {
  if (variables === undefined) return undefined;
  const cut = (value: VariableValue) => (Value.safeParse(value).success ? value : String(value).slice(0, 10_000));
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, cut(value)]));
}
