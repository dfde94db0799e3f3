import { z } from "zod";
import { decide } from "../engine/decide.ts";
import { evolve } from "../engine/evolve.ts";
import { isHoldfastError } from "../errors.ts";
import type { RunEvent } from "../model/event.ts";
import { Identifier, VariableValue } from "../model/ids.ts";
import type { Run } from "../model/run.ts";
import { type FoundWorkflow, findWorkflow } from "./catalog.ts";
import { changeRun } from "./change-run.ts";
import { liveRuns } from "./choose-run.ts";
import { freezeTemplate, readFrozen } from "./frozen-template.ts";
import { type Deps, defineOperation, type No, no, type Outcome, yes } from "./operation.ts";
import { agentVariable } from "./person.ts";
import { nothingYet } from "./projection.ts";
import { type Reply, replyTo } from "./reply.ts";
import { slugOf } from "./slug.ts";
import { prepareStateFolder } from "./state-folder.ts";
import { checkTrust, commandsOf, trust } from "./trust.ts";

export const startRun = defineOperation({
  summary: "Start a workflow, or return the status of its live run in this worktree.",
  input: z.strictObject({
    workflow: z.string().min(1).describe("A workflow's name, or the path of its file."),
    summary: z.string().optional().describe("The request in one line, at most 100 characters."),
    variables: z.record(Identifier, VariableValue).optional().describe("Values for the workflow's variables."),
    another: z.boolean().optional().describe("Start another run although one is live."),
    trust: z.boolean().optional().describe("Trust the workflow's commands now."),
  }),
  async run(deps, input): Promise<Outcome<Reply>> {
    const found = await findWorkflow(deps, input.workflow);
    if (!found.ok) return found;
    const { template } = found.value;
    const live = (await liveRuns(deps)).find(
      ({ run }) => run.workflow === template.name && run.worktree === deps.roots.worktree,
    );
    if (live !== undefined && input.another !== true) {
      const { template: frozen } = await readFrozen(deps, live.run);
      const { session } = deps.caller;
      const taken = await changeRun(deps, live, frozen, { command: { type: "hand-out", session } });
      return taken.ok ? yes(await replyTo(deps, taken.value.standing, taken.value.events)) : taken;
    }
    const untrusted = await askForTrust(deps, found.value, input.trust === true);
    if (untrusted !== null) return untrusted;
    prepareStateFolder(deps.roots.stateRoot);
    for (;;) {
      const runId = newRunId(deps, template.name);
      const events = firstEvents(deps, found.value, runId, input);
      await freezeTemplate(deps, runId, found.value);
      try {
        return yes(await replyTo(deps, await deps.journal.append(runId, nothingYet, events), events));
      } catch (error) {
        // Someone took the very same id in the very same second.
        if (!isHoldfastError(error, "version-conflict")) throw error;
      }
    }
  },
});

interface StartInput {
  readonly summary?: string | undefined;
  readonly variables?: Readonly<Record<string, z.infer<typeof VariableValue>>> | undefined;
}

function firstEvents(deps: Deps, found: FoundWorkflow, runId: string, input: StartInput): readonly RunEvent[] {
  const { template, hash: templateHash } = found;
  const { session } = deps.caller;
  const at = deps.now();
  const { worktree } = deps.roots;
  const { summary, variables } = input;
  const nothing: Run = { status: "absent" };
  const started = decide(
    template,
    nothing,
    { type: "start", runId, templateHash, worktree, summary, variables, session },
    at,
  );
  if (!started.ok) throw new Error(`a fresh run was refused: ${started.refusal.code}`);
  const run = started.events.reduce<Run>(evolve, nothing);
  const handed = decide(template, run, { type: "hand-out", session }, at);
  return handed.ok ? [...started.events, ...handed.events] : started.events;
}

/** Trusting is a person's: asked at the terminal, or said with the start where no agent is at the keyboard. */
async function askForTrust(deps: Deps, found: FoundWorkflow, trustNow: boolean): Promise<No | null> {
  const { template, hash, entry } = found;
  const untrusted = await checkTrust(deps, entry.name, template, hash);
  if (untrusted === null) return null;
  const agent = agentVariable(deps.caller.env);
  if (trustNow && agent !== undefined) {
    const why = `this is an agent's shell (${agent} is set)`;
    return no({ code: "person-needed", what: "trusting a workflow", why });
  }
  const list = commandsOf(template).map((command) => `  ${command}\n`);
  const question = `The workflow "${entry.name}" runs these commands:\n${list.join("")}Trust it?`;
  const agreed = trustNow || (agent === undefined && (await deps.caller.confirm?.(question)) === true);
  if (!agreed) return untrusted;
  await trust(deps, entry.name, hash);
  return null;
}

function newRunId(deps: Deps, workflow: string): string {
  const [date = "", time = ""] = deps.now().split(/[T.]/);
  return `${slugOf(workflow)}-${date.replaceAll("-", "")}_${time.replaceAll(":", "")}-${deps.suffix()}`;
}
