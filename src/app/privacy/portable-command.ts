import { runProjectRoot } from "../../journal/outputs.ts";
import type { Command } from "../../model/command.ts";
import { VariableValue as Value, type VariableValue } from "../../model/ids.ts";
import type { StartedRun } from "../../model/run.ts";
import type { Deps } from "../../operation/operation.ts";
import { machineOf, portableValue } from "./portable-text.ts";

type Field<C> = C extends C ? keyof C : never;

/** Where a caller writes in words of its own; everything else is a name, a token or a number. */
const worded = [
  "output",
  "summary",
  "reason",
  "feedback",
  "question",
  "answer",
  "tasks",
  "edits",
  "variables",
] as const satisfies readonly Field<Command>[];

/** A command as it may be kept: what goes into a journal goes wherever the journal goes. */
export function portableCommand<C extends Command>(deps: Deps, run: StartedRun | null, command: C): C {
  const projectRoot = run === null ? deps.roots.projectRoot : runProjectRoot(deps.roots, run);
  const machine = machineOf(deps);
  let portable = command;
  for (const name of worded) {
    const said: unknown = Reflect.get(command, name);
    if (said === undefined) continue;
    const kept = portableValue(machine, projectRoot, said);
    // Mostly there is nothing to swap, and nothing to copy.
    if (kept !== said)
      portable = { ...portable, [name]: name === "variables" ? withinLimits(kept as Variables) : kept };
  }
  return portable;
}

type Variables = Readonly<Record<string, VariableValue>>;

/** A placeholder may be longer than what it stands for; a variable has a length that it may not pass. */
function withinLimits(variables: Variables): Variables {
  const cut = (value: VariableValue) => (Value.safeParse(value).success ? value : String(value).slice(0, 10_000));
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, cut(value)]));
}
