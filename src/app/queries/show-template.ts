import * as z from "zod";
import { RunId } from "../../model/ids.ts";
import type { Template } from "../../model/template.ts";
import { type Deps, defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { templateYaml } from "../../templates/reuse/template-yaml.ts";
import { findRun } from "../runs/choose-run.ts";
import { findWorkflow, shortPath } from "../workflows/catalog.ts";
import { readFrozen } from "../workflows/frozen-template.ts";

export interface ShownTemplate {
  readonly workflow: string;
  readonly origin: "project" | "built-in" | "run";
  /** The workflow's file; for a run, what it was started with. */
  readonly file: string;
  /** The workflows that are extended, as the files name them: the nearest first. */
  readonly extends: readonly string[];
  readonly template: Template;
  readonly yaml: string;
}

export const showTemplate = defineOperation({
  summary: "A workflow with everything that it extends, as one template.",
  input: z.strictObject({
    workflow: z.string().describe("A workflow's name or file, or a run, for the template that it uses."),
  }),
  async run(deps, { workflow }): Promise<Outcome<ShownTemplate>> {
    const found = RunId.safeParse(workflow).success ? await fromRun(deps, workflow) : await fromFile(deps, workflow);
    return found.ok ? yes({ ...found.value, yaml: templateYaml(found.value.template) }) : found;
  },
});

type Found = Omit<ShownTemplate, "yaml">;

async function fromFile(deps: Deps, workflow: string): Promise<Outcome<Found>> {
  const found = await findWorkflow(deps, workflow);
  if (!found.ok) return found;
  const { entry, template, bases } = found.value;
  const file = shortPath(deps, entry.file);
  return yes({
    workflow: entry.name,
    origin: entry.origin,
    file,
    extends: bases.map((base) => base.extends),
    template,
  });
}

async function fromRun(deps: Deps, runId: string): Promise<Outcome<Found>> {
  const found = await findRun(deps, runId);
  if (!found.ok) return found;
  const { from, bases = [], template } = await readFrozen(deps, found.value.run);
  const facts = { workflow: found.value.run.workflow, origin: "run", file: from } as const;
  return yes({ ...facts, extends: bases.map((base) => base.extends), template });
}
