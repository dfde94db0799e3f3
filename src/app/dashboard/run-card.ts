import { oneLine } from "../../handoff/data-text.ts";
import type { LiveStanding } from "../../journal/run-journal.ts";
import { type Glance, glanceOf } from "../../journal/stored-runs.ts";
import { drivenSession } from "../../model/driving/driving.ts";
import type { LiveRun, Visit } from "../../model/run.ts";
import { processOf } from "../../model/run-state.ts";
import type { Deps } from "../../operation/operation.ts";
import { isRunnerAlive } from "../../platform/runner.ts";
import type { RunCard as AnyCard, CardWait } from "../../serve/contract/contract.ts";
import { isAliveHere } from "../../sessions/session-log.ts";
import { type PersonWait, waitOfVisit } from "../runs/person-wait.ts";

/** The columns of the dashboard's first screen, in their order. */
export const columns = ["needs-you", "working", "waiting", "done", "failed"] as const;
export type Column = (typeof columns)[number];

/** A run of this project on the dashboard's first screen. */
export type RunCard = Omit<AnyCard, "project">;

export function endedCard(glance: Glance): RunCard {
  return { ...cardFacts(glance), column: glance.status === "complete" ? "done" : "failed", waitsFor: null };
}

/** Of a run without a copy here no more is known than its row in the shared store. */
export function elsewhereCard(glance: Glance): RunCard {
  const card = { ...cardFacts(glance), here: false } as const;
  if (glance.endedAt !== null) return { ...endedCard(glance), ...card };
  if (glance.status === "running") return { ...card, column: "working", waitsFor: null };
  if (glance.status === "paused") {
    return { ...card, column: "waiting", waitsFor: { kind: "resume", text: pausedText(null) } };
  }
  return { ...card, column: "needs-you", waitsFor: { kind: "decision", text: "your decision: open it to see which" } };
}

/**
 * A live run is in "needs you" if one of its visits waits for a decision that only a person can make. It is in "waiting" if
 * nothing moves it on, although nothing is asked: a person has paused it, a runner has parked it, the agent was asked to
 * compact first, or no agent has it.
 */
export function liveCard(deps: Deps, standing: LiveStanding): RunCard {
  const { run } = standing;
  const waitsFor = cardWait(deps, run);
  return { ...cardFacts(glanceOf(standing)), column: columnOf(waitsFor), waitsFor };
}

function cardFacts(glance: Glance): Omit<RunCard, "column" | "waitsFor" | "here"> {
  const { runId, workflow, summary, status, step, startedAt, updatedAt, endedAt } = glance;
  return { runId, workflow, summary, status, step, startedAt, updatedAt, endedAt };
}

const asking: readonly CardWait["kind"][] = ["approval", "answer", "review", "decision"];

function columnOf(wait: CardWait | null): Column {
  if (wait === null) return "working";
  return asking.includes(wait.kind) ? "needs-you" : "waiting";
}

function cardWait(deps: Deps, run: LiveRun): CardWait | null {
  if (run.status === "paused") return { kind: "resume", text: pausedText(run.reason) };
  const waits = run.visits.flatMap((visit) => {
    const wait = waitOfVisit(run, visit);
    return wait === null ? [] : [{ kind: wait.type, text: waitText(visit, wait) }];
  });
  const asked = waits.filter(({ kind }) => asking.includes(kind));
  const [first] = asked;
  if (first !== undefined)
    return asked.length === 1 ? first : { ...first, text: `${first.text} (${asked.length} wait)` };
  if (run.parked != null)
    return { kind: "parked", text: oneLine(`a runner to resume it, parked: ${run.parked.reason}`, longest) };
  // Of several tasks, some may go on while one waits for its context action.
  const isMoving = run.visits.some((visit) => waitOfVisit(run, visit) === null && isWorkedOn(deps, run, visit));
  return isMoving ? null : (waits[0] ?? { kind: "agent", text: "an agent: nobody works on it" });
}

const longest = 200;

function pausedText(reason: string | null): string {
  return reason === null ? "you to resume it" : oneLine(`you to resume it, paused: ${reason}`, longest);
}

/** For a person, after "waits for". */
export function waitText(visit: Visit, wait: PersonWait): string {
  switch (wait.type) {
    case "approval":
      return oneLine(`your approval of ${whereText(visit)}`, longest);
    case "review":
      return `your decision: ${visit.reviewOf === "run" ? "the budget of the whole run" : "its budget"} is spent (${visit.review})`;
    case "decision":
      return oneLine(
        `your decision: ${whereText(visit)} ${visit.pending?.why === "failed" ? "failed" : "was interrupted"}`,
        longest,
      );
    case "answer":
      return oneLine(`your answer: ${wait.question}`, longest);
    case "context-action":
      return `you to type /${wait.action} in the agent`;
    case "resume":
      return pausedText(null);
  }
}

function whereText({ place }: Visit): string {
  return place.type === "sub-step" ? `${place.step}, task ${place.task}` : place.step;
}

/** Whether somebody has the visit who can move it on, as far as this machine can tell. */
function isWorkedOn(deps: Deps, run: LiveRun, visit: Visit): boolean {
  const running = processOf(visit);
  if (running !== null && isRunnerAlive(running.runner)) return true;
  if (run.drive != null) return isRunnerAlive(run.drive.runner);
  if (visit.claim === null || visit.untaken === true) return false;
  const own = visit.claim?.session == null ? run.seats.map(({ session }) => session) : [visit.claim.session];
  // A caller without a session leaves no trace but what it does; a session of the runner ends with its drive.
  return own.length === 0 || own.some((session) => session !== drivenSession(run.runId) && isOpen(deps, run, session));
}

function isOpen({ sessions }: Deps, run: LiveRun, session: string): boolean {
  const known = run.sessions.find(({ id }) => id === session);
  if (known !== undefined && known.ended !== null) return false;
  return isAliveHere({ sessions, isAlive: isRunnerAlive }, session) !== false;
}
