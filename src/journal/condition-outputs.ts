import { conditionOutputLimit, outputsRead } from "../engine/commands/conditions.ts";
import type { Outputs } from "../engine/commands/decision.ts";
import type { Template } from "../model/template.ts";
import { latestOutput } from "./outputs.ts";
import type { RunJournal, Standing } from "./run-journal.ts";

/** The outputs that the template's conditions read; nothing is read for a template without such conditions. */
export async function conditionOutputs(
  where: { readonly journal: RunJournal },
  standing: Standing,
  template: Template,
): Promise<Outputs> {
  const outputs: Record<string, string> = {};
  for (const step of outputNames(template)) {
    const output = await latestOutput(where, standing, step);
    if (output !== null) outputs[step] = output.slice(0, conditionOutputLimit);
  }
  return outputs;
}

/** Cached: a template never changes. */
const namesRead = new WeakMap<Template, readonly string[]>();

function outputNames(template: Template): readonly string[] {
  const names = namesRead.get(template) ?? outputsRead(template);
  namesRead.set(template, names);
  return names;
}
