import { reportDriving } from "../app/driving/report-driving.ts";
import { type DrivenTurn, findTurn, type SubmittedResult } from "../app/driving/turn.ts";
import type { StatusReply } from "../app/runs/reply.ts";
import type { LiveRun, Visit } from "../model/run.ts";
import { isLive, openQuestion, statusOfVisit } from "../model/run-state.ts";
import type { Driver } from "./driver.ts";

/** A visit that the agent works on, and what was tried so far. */
export interface Work {
  readonly reply: StatusReply;
  readonly token: string;
  /** The next prompt; null for the visit's own. */
  prompt: string | null;
  /** An earlier attempt has broken off, and the agent does not know. */
  isAgain: boolean;
  /** How many messages of people the agent got, until it has answered. */
  told: number;
  /** The agent was asked for a result in a form that a program can read. */
  hasAsked: boolean;
  /** How often the provider was overloaded in a row. */
  overloads: number;
}

export interface OpenVisit {
  readonly visit: Visit;
  readonly run: LiveRun;
}

export async function openVisit({ deps, runId }: Driver, token: string): Promise<OpenVisit | null> {
  const run = (await deps.journal.load(runId))?.run;
  if (run === undefined || !isLive(run) || run.status === "paused") return null;
  const visit = run.visits.find((open) => open.token === token);
  return visit === undefined ? null : { visit, run };
}

/** The result that an earlier attempt has left: the runner was stopped before it was used, or it has been approved since. */
export function keptResult(turn: DrivenTurn | null, { approval }: Visit): SubmittedResult | null {
  if (turn?.result === undefined) return null;
  return turn.forApproval === true && approval !== "given" ? null : turn.result;
}

export async function recordedResult({ deps, runId }: Driver, { token }: Work): Promise<SubmittedResult | null> {
  return (await findTurn(deps, runId, token))?.result ?? null;
}

/** Whether there is nothing to do at the visit: the agent has set the tasks of a loop or asked a person, or a person acts. */
export async function isLeft(driver: Driver, { token }: Work): Promise<boolean> {
  const visit = await openVisit(driver, token);
  return visit === null || statusOfVisit(visit.run, visit.visit) !== "running";
}

/** Whether the visit has ended, or the whole run. */
export async function hasEnded({ deps, runId }: Driver, { token }: Work): Promise<boolean> {
  const run = (await deps.journal.load(runId))?.run;
  return run === undefined || !isLive(run) || !run.visits.some((open) => open.token === token);
}

/**
 * Records that the agent has had its messages. It comes after the result is kept: if a turn breaks off before, the next agent gets
 * them again. So does the one that gets the answer to a question, which may be another.
 */
export async function deliverMessages({ deps, runId }: Driver, work: Work): Promise<void> {
  const { token, told: count } = work;
  if (count === 0) return;
  const run = (await deps.journal.load(runId))?.run;
  if (run === undefined || !isLive(run) || openQuestion(run, token) !== null) return;
  await reportDriving(deps, runId, { type: "deliver-messages", token, count });
  work.told = 0;
}
