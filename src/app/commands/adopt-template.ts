import * as z from "zod";
import type { StartedRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import { declarationOf, defaultsOf } from "../../model/variables/declared.ts";
import { defineOperation, no, type Outcome, yes } from "../../operation/operation.ts";
import { changeRun } from "../runs/change-run.ts";
import { chooseRun } from "../runs/choose-run.ts";
import { type StatusReply, statusOf } from "../runs/reply.ts";
import { askForTrust } from "../workflows/ask-for-trust.ts";
import { findWorkflow } from "../workflows/catalog.ts";
import { freezeTemplate, readFrozen } from "../workflows/frozen-template.ts";
import { actorIn, refuseAgent } from "../workflows/person.ts";
import { trustableRun } from "../workflows/trust.ts";

export const adoptTemplate = defineOperation({
  summary: "Switch a run to the current version of its workflow file.",
  input: z.strictObject({ run: z.string().optional().describe("The run; by default the only live one here.") }),
  async run(deps, { run: named }): Promise<Outcome<StatusReply>> {
    // A changed template may have fewer gates, and an agent must not remove its own gates.
    const agent = refuseAgent(deps, "adopting a changed workflow");
    if (agent !== null) return agent;
    const chosen = await chooseRun(deps, named);
    if (!chosen.ok) return chosen;
    const { run } = chosen.value;
    const { from, template: adoptedFrom } = await readFrozen(deps, run);
    const found = await findWorkflow(deps, from);
    if (!found.ok) return found;
    const { template, hash } = found.value;
    const variable = newCommand(run, adoptedFrom, template);
    if (variable !== undefined) return no({ code: "variable-protected", variable, workflow: from });
    const untrusted = await askForTrust(deps, trustableRun(from, template, run), false);
    if (untrusted !== null) return untrusted;
    await freezeTemplate(deps, run.runId, found.value);
    const command = { type: "adopt", templateHash: hash, ...actorIn(deps) } as const;
    const changed = await changeRun(deps, chosen.value, template, { command, adoptedFrom });
    return changed.ok ? yes(await statusOf(deps, changed.value.standing)) : changed;
  },
});

/** A variable that the new version executes and the old one did not: its value may come from an agent. */
function newCommand({ variables }: StartedRun, before: Template, after: Template): string | undefined {
  const isCommand = (template: Template, name: string) => declarationOf(template, name)?.type === "command";
  const defaults = defaultsOf(after);
  return Object.keys(variables).find(
    (name) => isCommand(after, name) && !isCommand(before, name) && variables[name] !== defaults[name],
  );
}
