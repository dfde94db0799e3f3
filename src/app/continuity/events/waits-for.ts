import { oneLine } from "../../../handoff/data-text.ts";
import { shellWord } from "../../../model/quote.ts";
import type { LiveRun, Visit } from "../../../model/run.ts";
import { isActionOpen, openQuestion, processOf, waitsForApproval } from "../../../model/run-state.ts";

/** What an agent with these visits has to wait for, in words for the person, after "waits for"; null if it can go on with one. */
export function waitsFor(run: LiveRun, own: readonly Visit[], isAlive: (runner: string) => boolean): string | null {
  if (run.status === "paused") return "you to resume it: run holdfast resume";
  const waits = own.map((visit) => visitWait(run, visit, isAlive));
  return waits.includes(null) ? null : (waits[0] ?? null);
}

function visitWait(run: LiveRun, visit: Visit, isAlive: (runner: string) => boolean): string | null {
  const { review, reviewOf, pending, token } = visit;
  const which = taskOption(visit);
  if (review !== null) {
    const what = reviewOf === "run" ? "the budget of the whole run" : "its budget";
    return `your decision, because ${what} is spent: run holdfast decide continue, pivot, escalate or abandon${which}`;
  }
  if (pending !== undefined) {
    const what = pending.why === "failed" ? "failed" : "was interrupted";
    return `your decision, because ${whereText(visit)} ${what}: run holdfast decide retry, skip, go_to <step> or abandon${which}`;
  }
  const question = openQuestion(run, token);
  if (question !== null) return `your answer to ${question.id}: ${JSON.stringify(oneLine(question.text, 200))}`;
  if (waitsForApproval(visit)) {
    return `your approval of ${whereText(visit)}: run holdfast approve${which}, or holdfast reject${which} --reason "..."`;
  }
  if (isActionOpen(visit)) return `you to type /${visit.action.name}, then say: go on`;
  return processWait(visit, isAlive);
}

function processWait(visit: Visit, isAlive: (runner: string) => boolean): string | null {
  const running = processOf(visit);
  if (running === null || !isAlive(running.runner)) return null;
  const what = visit.command === undefined ? "the gates" : "the command";
  return `${what} of ${whereText(visit)}, which ${visit.command === undefined ? "are" : "is"} still running`;
}

/** The task where several are open, else the step. */
function whereText({ place, claim }: Visit): string {
  const step = `the step ${oneLine(place.step, 100)}`;
  return claim === undefined || place.type !== "sub-step" ? step : `the task ${oneLine(place.task, 100)} of ${step}`;
}

/** A person must say which of several visits is meant. */
function taskOption({ place, claim }: Visit): string {
  return claim === undefined || place.type !== "sub-step" ? "" : ` --task ${shellWord(oneLine(place.task, 100))}`;
}
