import type { Command } from "../model/command.ts";
import { VariableValue as Value, type VariableValue } from "../model/ids.ts";
import type { StartedRun } from "../model/run.ts";
import type { Deps } from "./operation.ts";
import { projectRootOf } from "./outputs.ts";
import { machineOf, portableValue } from "./portable-text.ts";

/** Where a caller writes in words of its own; everything else is a name, a token or a number. */
const worded = new Set([
  "output",
  "summary",
  "reason",
  "feedback",
  "question",
  "answer",
  "tasks",
  "edits",
  "variables",
]);

/** A command as it may be kept: what goes into a journal goes wherever the journal goes. */
export function portableCommand<C extends Command>(deps: Deps, run: StartedRun | null, command: C): C {
  const said = Object.entries(command).filter(([name, value]) => worded.has(name) && value !== undefined);
  if (said.length === 0) return command;
  const projectRoot = run === null ? deps.roots.projectRoot : projectRootOf(deps.roots, run);
  const swapped = said.map(([name, value]) => {
    const portable = portableValue(machineOf(deps), projectRoot, value);
    return [name, name === "variables" ? withinLimits(portable) : portable];
  });
  return { ...command, ...Object.fromEntries(swapped) };
}

/** A placeholder may be longer than what it stands for; a variable has a length that it may not pass. */
function withinLimits(variables: Readonly<Record<string, VariableValue>>): typeof variables {
  const cut = (value: VariableValue) => (Value.safeParse(value).success ? value : String(value).slice(0, 10_000));
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, cut(value)]));
}
