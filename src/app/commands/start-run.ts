import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { slugOf } from "../../cards/slug.ts";
import { decide } from "../../engine/commands/decide.ts";
import { isHoldfastError } from "../../errors.ts";
import { emptyProjection } from "../../journal/projection.ts";
import type { LiveStanding, Standing } from "../../journal/run-journal.ts";
import type { RunEvent } from "../../model/event.ts";
import { Identifier, VariableValue } from "../../model/ids.ts";
import type { Run } from "../../model/run.ts";
import { type Deps, defineOperation, type No, type Outcome, yes } from "../../operation/operation.ts";
import { prepareStateFolder } from "../../project/state-folder.ts";
import { briefCaller } from "../briefing/brief-caller.ts";
import { attachAfterMove } from "../priming/attach-artifacts.ts";
import { portableCommand } from "../privacy/portable-command.ts";
import { introduceCaller } from "../runs/change-run.ts";
import { liveRuns } from "../runs/choose-run.ts";
import { type Reply, replyTo } from "../runs/reply.ts";
import { syncCard } from "../runs/sync-card.ts";
import { type FoundWorkflow, findWorkflow } from "../workflows/catalog.ts";
import { freezeTemplate } from "../workflows/frozen-template.ts";
import { agentVariable, personOf } from "../workflows/person.ts";
import { checkTrust, commandsOf, trust } from "../workflows/trust.ts";
import { takeNext } from "./take-next.ts";

const StartInput = z.strictObject({
  workflow: z.string().min(1).describe("A workflow's name, or the path of its file."),
  summary: z.string().optional().describe("The request in one line, at most 100 characters."),
  variables: z.record(Identifier, VariableValue).optional().describe("Values for the workflow's variables."),
  another: z.boolean().optional().describe("Start another run even if one is live."),
  trust: z.boolean().optional().describe("Trust the workflow's commands now."),
});
type StartInput = z.infer<typeof StartInput> & { readonly unread?: boolean };

export const startRun = defineOperation({
  summary: "Start a workflow, or return the status of its live run in this worktree.",
  input: StartInput,
  run: startWorkflow,
});

/** `unread`: no agent reads the reply, so the first visit is left for the agent to take. */
export async function startWorkflow(deps: Deps, input: StartInput): Promise<Outcome<Reply>> {
  const found = await findWorkflow(deps, input.workflow);
  // A live run has its own copy of the template, so it is found even if the file is broken or gone.
  const name = found.ok ? found.value.template.name : input.workflow;
  const [live] = await liveHere(deps, name);
  if (live !== undefined && input.another !== true) return takeNext.run(deps, { run: live.run.runId });
  if (!found.ok) return found;
  const untrusted = await askForTrust(deps, found.value, input.trust === true);
  if (untrusted !== null) return untrusted;
  prepareStateFolder(deps.roots.stateRoot);
  for (;;) {
    const runId = newRunId(deps, name);
    const events = firstEvents(deps, found.value, runId, input);
    const standing = await begin(deps, found.value, runId, events);
    if (standing === null) continue;
    const kept = input.another === true ? runId : await settleStarts(deps, name, runId);
    if (kept === null) continue;
    if (kept !== runId) return takeNext.run(deps, { run: kept });
    const { template } = found.value;
    await syncCard(deps, template, null, standing.run);
    const known = await introduceCaller(deps, template, standing);
    const reply = await briefCaller(deps, template, known, await replyTo(deps, known, events), "asked");
    return yes(await attachAfterMove(deps, template, null, { standing: known, events }, reply));
  }
}

const startPauseMs = 20;
/** If another start has not withdrawn by then, it checked before it could see ours, and continues. */
const startPatienceMs = 1_000;

/**
 * Keeps one run of several that start at the same moment. Returns its id, or null if all have withdrawn. A start that sees
 * an earlier one withdraws. One that sees only later ones waits for them to withdraw; if one of them stays, it checked
 * before ours existed, so ours withdraws instead.
 */
async function settleStarts(deps: Deps, workflow: string, runId: string): Promise<string | null> {
  let withdrawn = false;
  const withdraw = async () => {
    if (!withdrawn) await deps.files.removeRun(runId);
    withdrawn = true;
  };
  for (let waitedMs = 0; ; waitedMs += startPauseMs) {
    const [first, ...others] = await liveHere(deps, workflow);
    if (first === undefined) return null;
    if (first.run.runId !== runId) await withdraw();
    if (others.length === 0) return first.run.runId;
    if (waitedMs >= startPatienceMs) {
      await withdraw();
      return [first, ...others].map(({ run }) => run.runId).find((other) => other !== runId) ?? null;
    }
    await setTimeout(startPauseMs);
  }
}

/** The live runs of a workflow in this worktree, oldest first. */
async function liveHere(deps: Deps, workflow: string): Promise<LiveStanding[]> {
  const here = (await liveRuns(deps)).filter(
    ({ run }) => run.workflow === workflow && run.worktree === deps.roots.worktree,
  );
  const order = ({ run }: LiveStanding) => `${run.startedAt} ${run.runId}`;
  return here.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** Null if another process took the same id in the same second. */
async function begin(
  deps: Deps,
  found: FoundWorkflow,
  runId: string,
  events: readonly RunEvent[],
): Promise<Standing | null> {
  try {
    await freezeTemplate(deps, runId, found);
    return await deps.journal.append(runId, emptyProjection, events);
  } catch (error) {
    if (isHoldfastError(error, "version-conflict")) return null;
    if (isHoldfastError(error, "file-unwritable")) await removeFailedStart(deps, runId);
    throw error;
  }
}

/** Removes what a failed start left behind. If that fails too, the first error is the one to report. */
async function removeFailedStart(deps: Deps, runId: string): Promise<void> {
  try {
    if ((await deps.journal.load(runId)) === null) await deps.files.removeRun(runId);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

function firstEvents(deps: Deps, found: FoundWorkflow, runId: string, input: StartInput): readonly RunEvent[] {
  const { template, hash: templateHash } = found;
  const { session } = deps.caller;
  const at = deps.now();
  const { worktree } = deps.roots;
  const { summary, variables, unread } = input;
  const nothing: Run = { status: "absent" };
  const command = { type: "start" as const, runId, templateHash, worktree, summary, variables, session, unread };
  const started = decide(template, nothing, portableCommand(deps, null, command), at);
  if (!started.ok) throw new Error(`a fresh run was refused: ${started.refusal.code}`);
  if (unread === true) return started.events;
  const handed = decide(template, started.run, { type: "hand-out", session }, at);
  return handed.ok ? [...started.events, ...handed.events] : started.events;
}

/** Only a person can trust: at the terminal's prompt, or with the `trust` option outside an agent's shell. */
async function askForTrust(deps: Deps, found: FoundWorkflow, trustNow: boolean): Promise<No | null> {
  const { template, hash, entry } = found;
  const untrusted = await checkTrust(deps, entry.name, template, hash);
  if (untrusted === null) return null;
  const agent = agentVariable(deps.caller.env);
  if (trustNow && agent !== undefined) {
    const person = await personOf(deps, "trusting a workflow");
    if (!person.ok) return person;
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
