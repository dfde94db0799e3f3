import { setTimeout } from "node:timers/promises";
import * as z from "zod";
import { advanceRun } from "../app/commands/advance-run.ts";
import { setTasks } from "../app/commands/set-tasks.ts";
import { reportDriving } from "../app/driving/report-driving.ts";
import { beginTurn, endTurn, findTurn, keepTurn, type SubmittedResult, writeTurn } from "../app/driving/turn.ts";
import type { StatusReply } from "../app/runs/reply.ts";
import { readFrozen } from "../app/workflows/frozen-template.ts";
import { stepSettings } from "../engine/step-settings.ts";
import type { Parking } from "../model/driving/driving.ts";
import { type Refusal, wordRefusal } from "../model/refusal/refusal.ts";
import type { Visit } from "../model/run.ts";
import { isLive } from "../model/run-state.ts";
import type { Template } from "../model/template.ts";
import type { Hints } from "../model/visit-rules.ts";
import { timerDelay } from "../platform/timers.ts";
import { version } from "../project/version.ts";
import type { AgentFailure, Result } from "./agents/agent.ts";
import type { Driver, Ending } from "./driver.ts";
import { askReviewer, isPersonReview } from "./person-review.ts";
import { promptFor, refusedPrompt, resultPrompt } from "./prompt.ts";
import { aboutPeople, aboutResult, aboutVisit } from "./refusal-kinds.ts";
import { reachedLimit } from "./spending.ts";
import { type TurnEnd, takeTurn } from "./turn.ts";
import {
  deliverMessages,
  hasEnded,
  isLeft,
  keptResult,
  type OpenVisit,
  openVisit,
  recordedResult,
  type Work,
} from "./work.ts";

/** What follows a prompt: the visit is over or waits for a person (null), the agent gets another prompt, or driving ends. */
type Follow = null | "again" | Ending;

/** Gives a visit to the agent until it is done, a person has to act, or driving ends. Null: look where the run stands. */
export async function driveVisit(driver: Driver, reply: StatusReply): Promise<Ending | null> {
  const { token } = reply;
  if (token === null) return null;
  const before = await openVisit(driver, token);
  const driven = before?.visit.driven;
  const isAgain = driven !== undefined && driven.settled !== true;
  const work: Work = { reply, token, prompt: null, isAgain, told: 0, hasAsked: false, overloads: 0 };
  for (;;) {
    const follow = await attempt(driver, work);
    if (follow !== "again") return follow;
    if (driver.signal.aborted) return { type: "interrupted" };
  }
}

async function attempt(driver: Driver, work: Work): Promise<Follow> {
  const visit = await openVisit(driver, work.token);
  if (visit === null) return null;
  const { template } = await readFrozen(driver.deps, visit.run);
  if (await isPersonReview(driver, template, visit.visit)) return review(driver, work, template, visit);
  const { maxRetries = 0, hints = {} } = stepSettings(template, visit.visit.place) ?? {};
  const { failedGates = 0 } = visit.visit.driven ?? {};
  if (failedGates > maxRetries) {
    return giveUp(driver, work, `its gates have failed ${failedGates} times${lastGate(visit.visit)}`);
  }
  const kept = keptResult(await findTurn(driver.deps, driver.runId, work.token), visit.visit);
  return kept === null ? prompt(driver, work, hints) : finish(driver, work, kept);
}

/** A person does the visit's work: their words are its result. */
async function review(driver: Driver, work: Work, template: Template, { run, visit }: OpenVisit): Promise<Follow> {
  const asked = await askReviewer(driver, template, run, visit);
  if (!asked.ok) return afterMove(driver, work, asked.refusal);
  if (asked.value === null) return null;
  const follow = await finish(driver, work, asked.value);
  if (follow !== "again") return follow;
  // The same words would be refused again, and no agent is there to change what they were refused for.
  const refused = await openVisit(driver, work.token);
  return refused === null ? null : giveUp(driver, work, `the review was not accepted${lastGate(refused.visit)}`);
}

/** The note about a gate begins with its name. */
function lastGate({ note }: Visit): string {
  return note?.from === "gate" ? `, last: ${note.text.split("\n", 1)[0]}` : "";
}

async function prompt(driver: Driver, work: Work, hints: Hints): Promise<Follow> {
  const { deps, runId, agent, facts } = driver;
  const { token } = work;
  const limit = reachedLimit(driver);
  if (limit !== null) return park(driver, work, limit);
  const model = agent.modelFor?.(hints) ?? hints.model;
  const about = { agent: agent.name, version: facts.version, model, holdfast: version() };
  let messages: readonly string[] = [];
  const began = await reportDriving(deps, runId, (run) => {
    // The event counts them, so they are taken from the state that it is decided on.
    messages = run.messages ?? [];
    return { type: "begin-attempt", token, ...about };
  });
  // A person has moved or ended the run meanwhile.
  if (!began.ok) return null;
  const { conversation, request } = driver;
  const { isFresh } = conversation;
  const occasion = { isFresh, isAgain: work.isAgain, request, told: messages.slice(isFresh ? 0 : work.told) };
  const asked = promptFor(work.reply, token, occasion, work.prompt);
  work.isAgain = false;
  work.told = messages.length;
  const { run } = began.value;
  await beginTurn(deps, runId, token, isLive(run) ? run.visits.map((open) => open.token) : []);
  return follow(driver, work, await takeTurn(driver, token, asked, hints));
}

async function follow(driver: Driver, work: Work, end: TurnEnd): Promise<Follow> {
  switch (end.type) {
    case "interrupted":
      return { type: "interrupted" };
    case "overspent":
      return null;
    case "parked":
      return park(driver, work, end.parking);
    case "failed": {
      const recorded = await recordedResult(driver, work);
      if (recorded !== null) return submit(driver, work, recorded);
      return (await isLeft(driver, work)) ? null : recover(driver, work, end.failure);
    }
    case "answered": {
      work.overloads = 0;
      // What the agent has sent with a call counts more than what it prints, unless its program says that it has failed.
      const recorded = end.result?.failed === true ? null : await recordedResult(driver, work);
      const result = recorded ?? end.result;
      if (result !== undefined) return submit(driver, work, result);
      if (await isLeft(driver, work)) return leave(driver, work);
      return end.halted === undefined ? askForResult(driver, work, null) : park(driver, work, end.halted);
    }
  }
}

/** An agent that has ended the visit with a call has answered. */
async function leave(driver: Driver, work: Work): Promise<null> {
  if (await hasEnded(driver, work)) await deliverMessages(driver, work);
  return null;
}

/** Keeps the result on disk before anything else is done with it: a killed runner goes on from there. */
async function submit(
  driver: Driver,
  work: Work,
  { tasks, ...result }: SubmittedResult & Pick<Result, "tasks">,
): Promise<Follow> {
  if (tasks !== undefined) return submitTasks(driver, work, tasks);
  await writeTurn(driver.deps, driver.runId, { token: work.token, result });
  await deliverMessages(driver, work);
  return finish(driver, work, result);
}

async function submitTasks(driver: Driver, work: Work, tasks: unknown): Promise<Follow> {
  const { deps, runId } = driver;
  const input = setTasks.input.safeParse({ run: runId, loop: work.reply.step, tasks });
  if (!input.success) return askForResult(driver, work, z.prettifyError(input.error));
  const set = await setTasks.run(deps, input.data);
  if (!set.ok) return askForResult(driver, work, wordRefusal(set.refusal, "mcp").message);
  await deliverMessages(driver, work);
  driver.report({ type: "done", token: work.token });
  return null;
}

/** Ends the visit with the agent's result: the gates run, and the run moves on. */
async function finish(driver: Driver, work: Work, result: SubmittedResult): Promise<Follow> {
  const { deps, runId, report, logs } = driver;
  const { token } = work;
  logs.write(token, { type: "result", ...result });
  const input = advanceRun.input.safeParse({ run: runId, token, ...result });
  if (!input.success) return askForResult(driver, work, z.prettifyError(input.error));
  const advanced = await advanceRun.run(deps, input.data);
  if (advanced.ok) {
    await endTurn(deps, runId, token);
    report(result.failed === true ? { type: "failed", token, reason: result.output } : { type: "done", token });
    return null;
  }
  const { refusal } = advanced;
  if (deps.caller.signal?.aborted === true) return { type: "interrupted" };
  if (!aboutPeople.includes(refusal.code)) {
    report({ type: "refused", token, code: refusal.code, message: wordRefusal(refusal, "mcp").message });
  }
  logs.write(token, { type: "refused", refusal });
  return afterRefusal(driver, work, result, refusal);
}

async function afterRefusal(driver: Driver, work: Work, result: SubmittedResult, refusal: Refusal): Promise<Follow> {
  const { deps, runId } = driver;
  const { code } = refusal;
  if (aboutPeople.includes(code)) {
    const forApproval = code === "approval-needed" ? ({ forApproval: true } as const) : {};
    await keepTurn(deps, runId, { token: work.token, result, ...forApproval });
    return null;
  }
  if (code === "gate-failed") {
    await endTurn(deps, runId, work.token);
    work.prompt = refusedPrompt(refusal, howToEnd(driver));
    return "again";
  }
  if (aboutResult.includes(code)) {
    await endTurn(deps, runId, work.token);
    return askForResult(driver, work, wordRefusal(refusal, "mcp").message);
  }
  return afterMove(driver, work, refusal);
}

/** A refusal because a person has moved or ended the run meanwhile means only: look where it stands. The result of another is kept. */
async function afterMove({ deps, runId }: Driver, { token }: Work, refusal: Refusal): Promise<Follow> {
  if (refusal.code === "template-changed") return null;
  if (!aboutVisit.includes(refusal.code)) return { type: "refused", refusal };
  await endTurn(deps, runId, token);
  return null;
}

/** Asks once for a result that can be used; then a person has to look. */
async function askForResult(driver: Driver, work: Work, problem: string | null): Promise<Follow> {
  if (work.hasAsked) return giveUp(driver, work, problem ?? "the agent ended its turn twice without a result");
  work.hasAsked = true;
  work.prompt = resultPrompt(howToEnd(driver), problem);
  return "again";
}

function howToEnd({ agent }: Driver): string {
  return endWords[agent.can.ends];
}

const endWords: Readonly<Record<Driver["agent"]["can"]["ends"], string>> = {
  mcp: "call workflow_advance",
  called: "call done",
  printed: "answer with your result, in the form that was asked for",
};

async function giveUp(driver: Driver, work: Work, reason: string): Promise<Follow> {
  const { deps, runId } = driver;
  const { token } = work;
  await endTurn(deps, runId, token);
  const asked = await reportDriving(deps, runId, { type: "give-up", token, reason });
  return asked.ok ? null : afterMove(driver, work, asked.refusal);
}

/** At most so many tries with a provider that is overloaded. */
const mostOverloads = 8;

async function recover(driver: Driver, work: Work, failure: AgentFailure): Promise<Follow> {
  const { kind, reason, until } = failure;
  const { deps, runId, report } = driver;
  await endTurn(deps, runId, work.token);
  if (kind === "lost") {
    report({ type: "lost", token: work.token, reason });
    work.isAgain = true;
    const lost = await reportDriving(deps, runId, { type: "lose-attempt", token: work.token, reason });
    if (!lost.ok) return afterMove(driver, work, lost.refusal);
    return (await isLeft(driver, work)) ? null : "again";
  }
  if (kind === "overloaded" && work.overloads < mostOverloads) {
    const ms = backoff(driver, work.overloads);
    report({ type: "retry", token: work.token, reason, until: new Date(Date.now() + ms).toISOString() });
    await pause(driver, ms);
    work.overloads += 1;
    return "again";
  }
  return park(driver, work, { why: kind, reason, ...(until !== undefined && { until }) });
}

function backoff({ options: { timers } }: Driver, tries: number): number {
  return timers.backoffMs * 2 ** tries * (0.5 + Math.random() / 2);
}

/** Records why the run cannot go on. Where it is known when it can, the runner waits for that. */
async function park(driver: Driver, work: Work, parking: Parking): Promise<Follow> {
  const { deps, runId, report, options } = driver;
  const parked = await reportDriving(deps, runId, { type: "park", ...parking });
  if (!parked.ok) return afterMove(driver, work, parked.refusal);
  report({ type: "parked", ...parking });
  if (parking.until === undefined || !options.wait) return { type: "parked", ...parking };
  await pause(driver, Math.max(0, Date.parse(parking.until) - Date.now()));
  return "again";
}

async function pause({ signal }: Driver, ms: number): Promise<void> {
  await setTimeout(timerDelay(ms), undefined, { signal }).catch(() => {});
}
