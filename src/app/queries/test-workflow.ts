import * as z from "zod";
import { defineOperation, type Outcome, yes } from "../../operation/operation.ts";
import type { Problem } from "../../templates/problem.ts";
import { rehearse } from "../rehearsal/rehearse.ts";
import { noScript, readScript } from "../rehearsal/script.ts";
import type { RehearsedVisit } from "../rehearsal/stage.ts";
import { findWorkflow } from "../workflows/catalog.ts";

export interface TestedWorkflow {
  readonly ok: boolean;
  readonly workflow: string;
  /** Where the run stands at the end; absent if it did not start. */
  readonly status: string;
  readonly visits: readonly RehearsedVisit[];
  readonly problems: readonly Problem[];
}

export const testWorkflow = defineOperation({
  summary: "Walk a workflow with scripted answers and gate results. Nothing is executed or stored.",
  input: z.strictObject({
    workflow: z.string().describe("A workflow's name, or the path of its file."),
    script: z.string().optional().describe("The script as YAML; without one, every visit takes its first outcome."),
  }),
  async run(deps, { workflow, script: content }): Promise<Outcome<TestedWorkflow>> {
    const found = await findWorkflow(deps, workflow);
    if (!found.ok) return found;
    const { template } = found.value;
    const reading = content === undefined ? { ok: true as const, script: noScript } : readScript(content, template);
    if (!reading.ok) {
      return yes({ ok: false, workflow: template.name, status: "absent", visits: [], problems: reading.problems });
    }
    const rehearsal = rehearse(template, reading.script, deps.roots.projectRoot);
    return yes({ ok: rehearsal.problems.length === 0, workflow: template.name, ...rehearsal });
  },
});
