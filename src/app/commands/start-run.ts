import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { slugOf } from "../../cards/slug.ts";
import { decide } from "../../engine/commands/decide.ts";
import { isHoldfastError } from "../../errors.ts";
import { emptyProjection } from "../../journal/projection.ts";
import type { LiveStanding, Standing } from "../../journal/run-journal.ts";
import type { Glance } from "../../journal/stored-runs.ts";
import type { RunEvent } from "../../model/event.ts";
import { Identifier, VariableValue } from "../../model/ids.ts";
import { namedRuns } from "../../model/refusal/refusal-runs.ts";
import type { Run } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import { defaultsOf } from "../../model/variables/declared.ts";
import { type Deps, defineOperation, no, type Outcome, sharedStore, yes } from "../../operation/operation.ts";
import { rememberProject } from "../../project/known-projects.ts";
import { prepareStateFolder } from "../../project/state-folder.ts";
import { commitAndRemember } from "../../sessions/session-log.ts";
import { passOverCost } from "../../sessions/session-usage.ts";
import { briefCaller } from "../briefing/brief-caller.ts";
import { attachAfterMove } from "../priming/attach-artifacts.ts";
import { portableCommand } from "../privacy/portable-text.ts";
import { introduceCaller } from "../runs/change-run.ts";
import { liveRuns, loadLive, mostlyLive, movableHere, newestFirst } from "../runs/choose-run.ts";
import { type Reply, replyTo } from "../runs/reply.ts";
import { syncCard } from "../runs/sync-card.ts";
import { askForTrust } from "../workflows/ask-for-trust.ts";
import { type FoundWorkflow, findWorkflow } from "../workflows/catalog.ts";
import { freezeTemplate } from "../workflows/frozen-template.ts";
import { trustableWorkflow } from "../workflows/trust.ts";
import { refuseDriven, refuseFolder, refuseLongRequest, refuseOtherRequest } from "./start-checks.ts";
import { checkGiven, completeRequired, markGiven } from "./start-variables.ts";
import { replyPastCommands, takeNextVisit } from "./take-next.ts";

const StartInput = z.strictObject({
  workflow: z.string().min(1).describe("A workflow's name, or the path of its file."),
  request: z.string().optional().describe("What the person asked for, word for word."),
  summary: z
    .string()
    .optional()
    .describe("A title of at most 100 characters; by default the first line of the request."),
  variables: z.record(Identifier, VariableValue).optional().describe("Values for the workflow's variables."),
  another: z.boolean().optional().describe("Start another run even if one is live."),
  trust: z.boolean().optional().describe("Trust the workflow's commands now."),
});
type StartInput = z.infer<typeof StartInput> & {
  /** The run that is reset: it ends once the new one has started. No agent reads the reply, so the first visit is left to take. */
  readonly replaces?: string;
  /** A live run of the workflow is not continued: the runner says how to. */
  readonly onlyNew?: true;
};

/** `note` says that no run was started; `warning`, what the caller has to mind from now on. */
export type StartReply = Reply & { readonly note?: string; readonly warning?: string };

export const startRun = defineOperation({
  summary: "Start a workflow, or return the status of its live run in this worktree.",
  input: StartInput,
  async run(deps, input): Promise<Outcome<StartReply>> {
    const began = process.uptime();
    const started = await startWorkflow(deps, input);
    const reply = await replyPastCommands(deps, started, began);
    // The warning is about the start, whatever the commands led to.
    const warning = started.ok && "warning" in started.value ? started.value.warning : undefined;
    return reply.ok && warning !== undefined ? yes({ ...reply.value, warning }) : reply;
  },
});

export async function startWorkflow(deps: Deps, input: StartInput): Promise<Outcome<StartReply>> {
  const unfit = refuseDriven(deps) ?? refuseFolder(deps) ?? refuseLongRequest(input);
  if (unfit !== null) return unfit;
  const found = await findWorkflow(deps, input.workflow);
  const given = found.ok ? await checkGiven(deps, found.value.template, input) : yes({});
  if (!given.ok) return given;
  // A live run has its own copy of the template, so it is found even if the file is broken or gone.
  const name = found.ok ? found.value.template.name : input.workflow;
  const here = await movableHere(deps, await liveRuns(deps));
  const [live] = await loadLive(deps, ofWorkflow(deps, name, here).slice(0, 1));
  if (live !== undefined && input.another !== true) return continueLive(deps, live, input, name);
  if (!found.ok) return found;
  const variables = await completeRequired(deps, found.value.template, input.workflow, given.value);
  if (!variables.ok) return variables;
  const { entry, template } = found.value;
  const values = { ...defaultsOf(template), ...variables.value };
  const trustable = trustableWorkflow(entry.name, template, values);
  const untrusted = await askForTrust(deps, trustable, input.trust === true);
  if (untrusted !== null) return markGiven(untrusted, template, variables.value);
  prepareStateFolder(deps.roots.stateRoot);
  rememberProject(deps.user, deps.roots.stateRoot);
  return startNew(deps, found.value, { ...input, variables: variables.value });
}

async function startNew(deps: Deps, found: FoundWorkflow, input: StartInput): Promise<Outcome<StartReply>> {
  const { template } = found;
  passOverCost(deps.sessions, deps.caller.session, deps.now());
  for (;;) {
    const runId = newRunId(deps, template.name);
    const events = firstEvents(deps, found, runId, input);
    const standing = await begin(deps, found, runId, events);
    if (standing === null) continue;
    // A run whose steps were all skipped has ended already and stands in no other start's way.
    const isAlone = input.another === true || !isLive(standing.run);
    const kept = isAlone ? runId : await settleStarts(deps, template.name, runId);
    if (kept === null) continue;
    if (kept !== runId) return continueOther(deps, template.name, kept, input);
    await syncCard(deps, template, null, standing.run);
    const known = await introduceCaller(deps, template, standing);
    const reply = await briefCaller(deps, template, known, await replyTo(deps, known, events), "asked");
    const whole = await attachAfterMove(deps, template, null, { standing: known, events }, reply);
    const others = (await othersHere(deps, runId)).filter((other) => other !== input.replaces);
    if (others.length > 0) return yes({ ...withoutRecap(whole), warning: otherRuns(deps, runId, others) });
    return yes(input.replaces === undefined ? whole : withoutRecap(whole));
  }
}

/** Another process started the workflow at the same moment; its run stays. */
async function continueOther(deps: Deps, workflow: string, runId: string, input: StartInput) {
  const [kept] = await loadLive(
    deps,
    (await liveHere(deps, workflow)).filter((run) => run.runId === runId),
  );
  return kept === undefined ? takeNextVisit(deps, { run: runId }) : continueLive(deps, kept, input, workflow);
}

async function continueLive(
  deps: Deps,
  live: LiveStanding,
  input: StartInput,
  workflow: string,
): Promise<Outcome<StartReply>> {
  if (input.onlyNew === true) return no({ code: "workflow-live", workflow, run: live.run.runId });
  const { request, summary, variables } = input;
  const command = portableCommand(deps, null, { type: "start", runId: "", templateHash: "", request, summary });
  const other = await refuseOtherRequest(deps, live, command);
  if (other !== null) return other;
  const next = await takeNextVisit(deps, { run: live.run.runId });
  if (!next.ok || "contextAction" in next.value) return next;
  const unused = variables === undefined ? "" : ", and the variables you sent were not used";
  const noted = `already live; nothing was started${unused}`;
  return yes({ ...next.value, note: next.value.note === undefined ? noted : `${noted}. ${next.value.note}` });
}

/** The other live runs of this worktree: with them, a command without a session does not know which run it means. */
async function othersHere(deps: Deps, runId: string): Promise<readonly string[]> {
  const live = await movableHere(deps, await mostlyLive(deps));
  const here = newestFirst(live).filter(({ worktree }) => worktree === deps.roots.worktree);
  return here.map((other) => other.runId).filter((other) => other !== runId);
}

function otherRuns({ caller: { face } }: Deps, runId: string, others: readonly string[]): string {
  const are = others.length === 1 ? "another run is live here" : "other runs are live here";
  const next =
    face === "mcp"
      ? "your calls mean this one unless you send run_id"
      : `name this one in later commands: --run ${runId}`;
  return `${are}: ${namedRuns(others).join(", ")}; ${next}`;
}

/** The recap of a new run has nothing but the other live runs: the warning names them, or a reset ends them. */
function withoutRecap(reply: Reply): Reply {
  if ("contextAction" in reply) return reply;
  const { recap: _recap, ...status } = reply;
  return status;
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
    if (!withdrawn) await takeBack(deps, runId);
    withdrawn = true;
  };
  for (let waitedMs = 0; ; waitedMs += startPauseMs) {
    const [first, ...others] = await liveHere(deps, workflow);
    if (first === undefined) return null;
    if (first.runId !== runId) await withdraw();
    if (others.length === 0) return first.runId;
    if (waitedMs >= startPatienceMs) {
      await withdraw();
      return [first, ...others].map((run) => run.runId).find((other) => other !== runId) ?? null;
    }
    await setTimeout(startPauseMs);
  }
}

/** In a shared store, too: nobody else knows the run yet, and nobody would ever end it. */
async function takeBack(deps: Deps, runId: string): Promise<void> {
  const shared = (await sharedStore(deps))?.shared;
  const head = (await shared?.heads([runId]))?.get(runId);
  try {
    if (head !== undefined) await shared?.removeRun(runId, head);
  } catch (error) {
    // Some users may not remove anything. Then it stays in the list, and no command here means it.
    if (!isHoldfastError(error, "store-refused")) throw error;
  }
  await deps.files.removeRun(runId);
}

/** The live runs of a workflow in this worktree, oldest first. Runs that had ended when the start began still have. */
async function liveHere(deps: Deps, workflow: string): Promise<Glance[]> {
  return ofWorkflow(deps, workflow, await movableHere(deps, await mostlyLive(deps)));
}

function ofWorkflow(deps: Deps, workflow: string, runs: readonly Glance[]): Glance[] {
  const here = runs.filter((run) => run.workflow === workflow && run.worktree === deps.roots.worktree);
  const order = ({ startedAt, runId }: Glance) => `${startedAt} ${runId}`;
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
    const commit = () => deps.journal.append(runId, emptyProjection, events);
    return await commitAndRemember(deps.sessions, runId, events, commit);
  } catch (error) {
    if (isHoldfastError(error, "version-conflict")) return null;
    if (isHoldfastError(error, "file-unwritable"))
      await removeFailedStart(deps, runId, async () => (await deps.journal.load(runId)) === null);
    // No journal of this run can be opened here, so look for the file itself.
    if (isHoldfastError(error, "run-tracked") || isStoredNowhere(error))
      await removeFailedStart(deps, runId, async () => (await deps.files.read(runId, "journal.jsonl")) === null);
    throw error;
  }
}

/** Whether a shared store was not asked, or has not taken the run. Without an answer it may still have it. */
function isStoredNowhere(error: unknown): boolean {
  if (isHoldfastError(error, "store-unreachable")) return error.data.committed === "no";
  return isHoldfastError(error) && /^(store-|settings-broken$)/.test(error.code);
}

/** Removes what a failed start left behind. If that fails too, the first error is the one to report. */
async function removeFailedStart(deps: Deps, runId: string, isEmpty: () => Promise<boolean>): Promise<void> {
  try {
    if (await isEmpty()) await deps.files.removeRun(runId);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

function firstEvents(deps: Deps, found: FoundWorkflow, runId: string, input: StartInput): readonly RunEvent[] {
  const { template, hash: templateHash } = found;
  const { session } = deps.caller;
  const at = deps.now();
  const { worktree } = deps.roots;
  const { request, summary, variables } = input;
  const unread = input.replaces !== undefined;
  const nothing: Run = { status: "absent" };
  const command = {
    type: "start" as const,
    runId,
    templateHash,
    worktree,
    request,
    summary,
    variables,
    session,
    unread,
  };
  const started = decide(template, nothing, portableCommand(deps, null, command), at);
  if (!started.ok) throw new Error(`a fresh run was refused: ${started.refusal.code}`);
  if (unread) return started.events;
  const handed = decide(template, started.run, { type: "hand-out", session }, at);
  return handed.ok ? [...started.events, ...handed.events] : started.events;
}

function newRunId(deps: Deps, workflow: string): string {
  const [date = "", time = ""] = deps.now().split(/[T.]/);
  return `${slugOf(workflow)}-${date.replaceAll("-", "")}_${time.replaceAll(":", "")}-${deps.suffix()}`;
}
