import { basename, join } from "node:path";
import * as z from "zod";
import { defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { createFile, readBytesNow } from "../../platform/files.ts";
import { refuseLinkedWorkflows } from "../../platform/links.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import { ignoreState } from "../../project/state-folder.ts";
import { listWorkflows, ownFolder, shortPath } from "../workflows/catalog.ts";

export interface EjectedWorkflow {
  readonly workflow: string;
  readonly file: string;
}

export const ejectWorkflow = defineOperation({
  summary: "Copy a built-in workflow into the project, to change it there.",
  input: z.strictObject({ workflow: z.string().describe("The name of a built-in workflow.") }),
  async run(deps, { workflow }): Promise<Outcome<EjectedWorkflow>> {
    const { stateRoot } = deps.roots;
    refuseLinkedWorkflows(stateRoot);
    const all = await listWorkflows(deps);
    const own = all.find(({ name, origin }) => name === workflow && origin === "project");
    if (own !== undefined) return no({ code: "file-exists", file: shortPath(deps, own.file), fixedName: true });
    const builtIn = all.filter(({ origin }) => origin === "built-in");
    const source = builtIn.find(({ name }) => name === workflow);
    if (source === undefined) return no({ code: "workflow-unknown", workflow, known: builtIn.map(({ name }) => name) });
    const text = new TextDecoder().decode(readBytesNow(source.file, sizeLimits.workflow));
    const file = join(ownFolder(deps), basename(source.file));
    ignoreState(stateRoot);
    const isNew = createFile(
      file,
      text.replace(packageSchema, () => projectSchema),
    );
    if (!isNew) return no({ code: "file-exists", file: shortPath(deps, file), fixedName: true });
    return yes({ workflow, file: shortPath(deps, file) });
  },
});

/** Where an editor finds the schema: from the package's folder of workflows, and from a project's. */
const packageSchema = "$schema=../schema/template.json";
const projectSchema = "$schema=../../node_modules/holdfast/schema/template.json";
