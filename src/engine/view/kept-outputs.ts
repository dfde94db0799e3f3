import { ownEntry } from "../../model/json.ts";
import type { StartedRun } from "../../model/run.ts";
import { outputKey } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";
import { loopIn, loopOutput } from "./loop-outputs.ts";

/** The outputs of a run that lives in memory, by key; the latest of a step comes last. */
export type KeptOutputs = Readonly<Record<string, string>>;

/** The output of a step, of a loop or of one of its tasks. */
export function namedOutput(
  template: Template,
  run: StartedRun,
  outputs: KeptOutputs,
  name: string,
): string | undefined {
  const loop = loopIn(template, name);
  if (loop === null) return latestOutput(outputs, name);
  const { tasks = [], failed: indexes = [] } = ownEntry(run.loops, loop) ?? {};
  const failed = new Set(indexes);
  const given = tasks.flatMap(({ id, title }, index) => {
    const within = outputKey({ type: "sub-step", step: loop, index, task: id, subStep: "" });
    const key = Object.keys(outputs).findLast((candidate) => candidate.startsWith(within));
    return key === undefined ? [] : [[id, { title, output: outputs[key] ?? "", failed: failed.has(index) }] as const];
  });
  // A loop that was skipped has an output of its own.
  return loopOutput(new Map(given), name.slice(loop.length + 1)) ?? latestOutput(outputs, name);
}

export function latestOutput(outputs: KeptOutputs, step: string): string | undefined {
  const own = outputKey({ type: "action", step });
  const key = Object.keys(outputs).findLast((candidate) => candidate === own || candidate.startsWith(`${own}.`));
  return key === undefined ? undefined : outputs[key];
}
