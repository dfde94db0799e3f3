import { takeNextVisit } from "../app/commands/take-next.ts";
import { reportDriving } from "../app/driving/report-driving.ts";
import { forgetTurns } from "../app/driving/turn.ts";
import { withoutSecrets } from "../app/privacy/portable-text.ts";
import type { Asked } from "../app/runs/claim-task.ts";
import { holdingLease, isRunnerGone } from "../app/runs/keep-leases.ts";
import type { StatusReply } from "../app/runs/reply.ts";
import { isHoldfastError } from "../errors.ts";
import { isClaimedElsewhere } from "../journal/outputs.ts";
import type { DriveEnd } from "../model/driving/driving.ts";
import type { Notice } from "../model/driving/notice.ts";
import { shellWord } from "../model/quote.ts";
import { type Refusal, wordRefusal } from "../model/refusal/refusal.ts";
import type { Visit } from "../model/run.ts";
import { canGoOn, claimIn, claimsOf, isActionOpen, isLive, visitsFor } from "../model/run-state.ts";
import { type Outcome, yes } from "../operation/operation.ts";
import { thisRunner } from "../platform/runner.ts";
import { version } from "../project/version.ts";
import type { Driver, Ending } from "./driver.ts";
import { createUsageRecorder } from "./spending.ts";
import { driveVisit } from "./visit.ts";

/** Takes the run to its end, or to where a person has to act. Only one runner drives a run; `greet` is called once it is this one. */
export async function driveRun(driver: Driver, greet = () => {}): Promise<Ending> {
  const { deps, runId, agent, conversation, logs, report, signal, options } = driver;
  const runner = thisRunner();
  const begun = await reportDriving(deps, runId, async (run) => ({
    type: "begin-drive",
    runner,
    agent: agent.name,
    holdfast: version(),
    interrupted: run.drive != null && (await isRunnerGone(deps, runId, run.drive, null)),
  }));
  if (!begun.ok) return { type: "refused", refusal: begun.refusal };
  driver.patience.ms = options.timers.storeMs;
  greet();
  try {
    const driven = await holdingLease(deps, runId, null, () => driveVisits(driver));
    const ending = withoutSecrets(deps.caller.env, waitFor(driven, runId));
    await reportDriving(deps, runId, { type: "end-drive", runner, why: driveEnds[ending.type] });
    if (driveEnds[ending.type] === "ended") forgetTurns(deps, runId);
    const next = ending.type === "waits" ? { next: ending.next } : {};
    report({ type: "ended", run: runId, ending: ending.type, reason: reasonOf(ending), ...next });
    return ending;
  } catch (error) {
    if (!isHoldfastError(error, "store-unreachable")) throw error;
    // Nothing of this can be recorded. The agent's result is on this machine, and whoever resumes here goes on with it.
    return signal.aborted ? { type: "interrupted" } : { type: "waits", reason: error.message, next: error.next };
  } finally {
    await conversation.drop();
    logs.close();
  }
}

const driveEnds: { readonly [T in Ending["type"]]: DriveEnd } = {
  complete: "ended",
  failed: "ended",
  waits: "waits",
  parked: "parked",
  interrupted: "interrupted",
  refused: "failed",
};

function reasonOf(ending: Ending): string {
  if (ending.type === "refused") return wordRefusal(ending.refusal, "cli").message;
  return "reason" in ending ? ending.reason : "";
}

async function driveVisits(driver: Driver): Promise<Ending> {
  const { signal, report } = driver;
  for (;;) {
    if (signal.aborted) return { type: "interrupted" };
    await carryOutAction(driver);
    const next = await takeTask(driver);
    if (signal.aborted) return { type: "interrupted" };
    if (next === null) continue;
    if (!next.ok) return { type: "refused", refusal: next.refusal };
    const ended = endingOf(next.value) ?? (await ownWait(driver, next.value));
    if (ended !== null) return ended;
    report(noticeOf(next.value));
    const ending = await driveVisit(driver, next.value);
    if (ending !== null) return ending;
  }
}

/** A refusal that a person or another agent has to settle is a reason to wait; the run goes on from there. */
function waitFor(ending: Ending, runId: string): Ending {
  if (ending.type !== "refused") return ending;
  const { refusal } = ending;
  if (refusal.code === "template-untrusted") {
    const { message } = wordRefusal(refusal, "cli");
    return { type: "waits", reason: message, next: `holdfast trust ${shellWord(refusal.workflow)}` };
  }
  if (refusal.code === "claim-needed") {
    const reason = "other agents work on every open task of this loop";
    return { type: "waits", reason, next: `holdfast status --run ${runId}` };
  }
  return ending;
}

/** The visit that is next; null if a context action comes first, or another choice has to be made. */
async function takeTask(driver: Driver): Promise<Outcome<StatusReply> | null> {
  const { deps, runId } = driver;
  const choice = await chooseTask(driver);
  const next = await takeNextVisit(deps, { run: runId, ...choice });
  if (!next.ok) return choice !== null && taken.includes(next.refusal.code) ? null : next;
  return "contextAction" in next.value ? null : yes(next.value);
}

/** Refusals because somebody else was faster: there is another choice now. */
const taken: readonly Refusal["code"][] = ["claim-held", "claim-lost", "task-not-open", "step-stale"];

/**
 * In a loop with parallel tasks: one that this runner has and can go on with, else one that is free, else one that waits.
 * What was claimed in another clone is claimed anew, so that its gates are checked here.
 */
async function chooseTask({ deps, runId }: Driver): Promise<Asked | null> {
  const run = (await deps.journal.load(runId))?.run;
  if (run === undefined || !isLive(run) || run.status === "paused") return null;
  const own = claimsOf(run, deps.caller.session);
  const [first] = own;
  if (first === undefined) return null;
  const going = own.find((visit) => canGoOn(run, visit));
  if (going !== undefined) return isClaimedElsewhere(deps.roots, going.claim) ? taskOf(going) : { token: going.token };
  const free = run.visits.find((visit) => visit.claim === null && canGoOn(run, visit));
  return (free && taskOf(free)) ?? { token: first.token };
}

function taskOf({ place }: Visit): Asked | null {
  return place.type === "sub-step" ? { task: place.task } : null;
}

function noticeOf({ token, step, progress, task }: StatusReply): Notice {
  const where = { number: progress.currentStep, steps: progress.totalSteps };
  const which = task && { task: { title: task.title, number: task.index + 1, total: task.total } };
  return { type: "visit", token: token ?? "", step, ...where, ...which };
}

/** Carries out the context action that was handed out, for real. Only what the agent has proved is recorded as done. */
async function carryOutAction(driver: Driver): Promise<void> {
  const { deps, runId, conversation, report } = driver;
  const { session } = deps.caller;
  const run = (await deps.journal.load(runId))?.run;
  const visit = run !== undefined && isLive(run) ? visitsFor(run, session ?? "").find(isActionOpen) : undefined;
  if (visit === undefined) return;
  const { name: action } = visit.action;
  const proved = action === "compact" ? await compact(driver, visit.token) : await conversation.clear();
  if (proved) {
    await reportDriving(deps, runId, { type: "observe-context-action", action, token: visit.token, session });
  }
  report({ type: "context", action, proved });
}

/** The summary counts for the visit that needs it. If that spends a budget, the visit waits for a person. */
async function compact(driver: Driver, token: string): Promise<boolean> {
  const usage = createUsageRecorder(driver, token, () => {});
  const proved = await driver.conversation.compact(keep, (event) => {
    if (event.type === "usage" || event.type === "cost") usage.add(event);
  });
  await usage.recorded();
  return proved;
}

const keep = "what was decided, what was found out, and which files were changed";

/** How driving ends where the run stands; null if the agent can work. */
function endingOf(reply: StatusReply): Ending | null {
  const { status, runId, instructions, token } = reply;
  switch (status) {
    case "running":
      return token === null ? { type: "waits", reason: instructions, next: `holdfast status --run ${runId}` } : null;
    case "complete":
      return { type: "complete" };
    case "failed":
    case "aborted":
      return { type: "failed", reason: instructions };
    case "paused":
      return { type: "waits", reason: "the run is paused", next: `holdfast resume --run ${runId}` };
    case "waiting":
    case "review":
      return waiting(reply);
  }
}

/** In a loop with parallel tasks the run goes on although all that this runner could work on waits for a person. */
async function ownWait({ deps, runId }: Driver, reply: StatusReply): Promise<Ending | null> {
  const run = (await deps.journal.load(runId))?.run;
  if (run === undefined || !isLive(run)) return null;
  const visit = run.visits.find(({ token }) => token === reply.token);
  return visit === undefined || canGoOn(run, visit) ? null : waiting(reply);
}

/** What a person has to do, as a command. */
function waiting({ runId, decision, question, review, step, task, token }: StatusReply): Ending {
  // Several tasks of the loop may wait at the same time.
  const isClaimed = task !== undefined && claimIn(token ?? "") !== null;
  const which = `--run ${runId}${isClaimed ? ` --task ${shellWord(task.id)}` : ""}`;
  if (question !== undefined) {
    // Nothing of the question is in the command: an agent wrote it, or a workflow of the repository.
    const next = `holdfast answer --run ${runId} "..."`;
    return { type: "waits", reason: `a question: ${question.text}`, next };
  }
  if (decision !== undefined) {
    return {
      type: "waits",
      reason: `"${step}"${task === undefined ? "" : ` (task ${shellWord(task.id)})`} ${decision.why}: ${decision.reason}`,
      next: `holdfast decide ${which}`,
    };
  }
  if (review !== undefined) {
    return { type: "waits", reason: `the budget is spent (${review.spent})`, next: `holdfast decide ${which}` };
  }
  return { type: "waits", reason: `"${step}" waits for approval`, next: `holdfast approve ${which}` };
}
