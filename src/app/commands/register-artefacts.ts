import { isAbsolute } from "node:path";
import * as z from "zod";
import { type SortedArtefacts, sortArtefacts } from "../../engine/commands/records.ts";
import { runProjectRoot } from "../../journal/outputs.ts";
import { defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import { pathInside } from "../../platform/path-inside.ts";
import { isInside } from "../gates/find-missing.ts";
import { changeRun } from "../runs/change-run.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { visitOf } from "../runs/reply.ts";
import { readFrozen } from "../workflows/frozen-template.ts";

export const registerArtefacts = defineOperation({
  summary: "Register files that a step produced.",
  input: z.strictObject({
    run: z.string().optional().describe("The run; by default the one this call belongs to."),
    paths: z.array(z.string()).min(1).max(1_000).describe("Files inside the project."),
  }),
  async run(deps, { run: named, paths }): Promise<Outcome<SortedArtefacts>> {
    const chosen = await chooseRun(deps, named);
    if (!chosen.ok) return chosen;
    const { run } = chosen.value;
    const { template } = await readFrozen(deps, run);
    const root = runProjectRoot(deps.roots, visitOf(deps, chosen.value)?.claim ?? run);
    const inside = paths.map((path) => (isAbsolute(path) ? (pathInside(root, path) ?? path) : path));
    const present: string[] = [];
    for (const path of inside) if (await isInside(root, path)) present.push(path);
    const missing = inside.filter((path) => !present.includes(path));
    const changed = await changeRun(deps, chosen.value, template, {
      command: { type: "register-artefacts", paths: present },
    });
    if (!changed.ok) return changed;
    const { duplicates, registered, invalid } = sortArtefacts(run, present);
    // Another process may have registered some of these in the meantime: the events show which ones we added.
    const own = changed.value.events.flatMap((event) => (event.type === "artefacts-registered" ? event.paths : []));
    const overtaken = registered.filter((path) => !own.includes(path));
    return yes({ registered: own, duplicates: [...duplicates, ...overtaken], invalid: [...invalid, ...missing] });
  },
});
