import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { parseJson } from "../../model/json.ts";
import { defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { replaceFile } from "../../platform/files.ts";
import { refuseLinkedWorkflows, stateFolder } from "../../platform/links.ts";
import { ignoreState } from "../../project/state-folder.ts";
import { fromFaber } from "../../templates/faber/faber.ts";
import { loadTemplate } from "../../templates/load.ts";
import { problemText } from "../../templates/problem.ts";
import { findEntry, shortPath } from "../workflows/catalog.ts";
import { readFaberBases } from "./faber-bases.ts";

export interface ImportedWorkflow {
  readonly workflow: string;
  readonly file: string;
  readonly steps: number;
  /** Whether it now hides a built-in workflow of the same name. */
  readonly shadows: boolean;
  /** The files that it extends and that are merged into it. */
  readonly bases: readonly string[];
  /** What could not be converted. */
  readonly notes: readonly string[];
}

const fileName = /^[A-Za-z0-9][\w.-]{0,59}$/;
const Named = z.looseObject({ id: z.string().regex(fileName) });

export const importWorkflow = defineOperation({
  summary: "Convert a FABER workflow (JSON) into a workflow of this project.",
  input: z.strictObject({
    text: z.string().describe("The file's content."),
    source: z.string().min(1).describe("The file's name."),
    output: z
      .string()
      .regex(fileName, "must be a plain name: letters, digits, - and _")
      .optional()
      .describe("The workflow's name here; by default its FABER id."),
  }),
  async run(deps, { text, source, output }): Promise<Outcome<ImportedWorkflow>> {
    const invalid = (problems: readonly string[]) => no({ code: "faber-invalid", file: source, problems });
    const value = parseJson(text.replace(/^\uFEFF/, ""));
    if (value === undefined) return invalid(["it is not JSON"]);
    const workflow = output ?? Named.safeParse(value).data?.id;
    if (workflow === undefined) return invalid(['"id" must be a plain name; choose another with -o']);
    const { stateRoot } = deps.roots;
    refuseLinkedWorkflows(stateRoot);
    const file = join(stateRoot, stateFolder, "workflows", `${workflow}.yaml`);
    if (existsSync(file)) return no({ code: "file-exists", file: shortPath(deps, file) });
    const bases = readFaberBases(resolve(deps.cwd, source), value, deps.roots.projectRoot);
    if ("problem" in bases) return invalid([bases.problem]);
    const imported = fromFaber(value, workflow, bases);
    if (!("yaml" in imported)) return invalid(imported);
    const reading = loadTemplate(imported.yaml);
    if (!reading.ok) return invalid(reading.problems.map(problemText));
    ignoreState(stateRoot);
    replaceFile(file, imported.yaml);
    const steps = reading.template.steps.length;
    const shadows = (await findEntry(deps, workflow))?.shadows ?? false;
    return yes({ workflow, file: shortPath(deps, file), steps, shadows, bases: bases.files, notes: imported.notes });
  },
});
