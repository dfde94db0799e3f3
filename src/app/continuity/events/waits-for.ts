import { oneLine } from "../../../handoff/data-text.ts";
import type { LiveRun, Visit } from "../../../model/run.ts";
import { isActionOpen, openQuestion, processOf, waitsForApproval } from "../../../model/run-state.ts";

/** What the agent has to wait for, in words for the person, after "waits for"; null if it can go on by itself. */
export function waitsFor(run: LiveRun, visit: Visit | null, isAlive: (runner: string) => boolean): string | null {
  switch (run.status) {
    case "paused":
      return "you to resume it: run holdfast resume";
    case "review":
      return `your decision, because ${spentWord(run)} is spent: run holdfast decide continue, pivot, escalate or abandon`;
    case "waiting":
      return answerOrApproval(run, visit);
    case "running":
      if (visit === null) return null;
      if (isActionOpen(visit)) return `you to type /${visit.action.name}, then say: go on`;
      return processWait(visit, isAlive);
  }
}

function spentWord({ visits }: LiveRun): string {
  return visits.some(({ reviewOf }) => reviewOf === "run") ? "the budget of the whole run" : "its budget";
}

function processWait(visit: Visit, isAlive: (runner: string) => boolean): string | null {
  const running = processOf(visit);
  if (running === null || !isAlive(running.runner)) return null;
  const step = oneLine(visit.place.step, 100);
  return visit.command === undefined
    ? `the gates of the step ${step}, which are still running`
    : `the command of the step ${step}, which is still running`;
}

function answerOrApproval(run: LiveRun, visit: Visit | null): string {
  const failed = run.visits.find(({ pending }) => pending !== undefined);
  if (failed !== undefined) {
    const what = failed.pending?.why === "failed" ? "failed" : "was interrupted";
    return `your decision, because the step ${oneLine(failed.place.step, 100)} ${what}: run holdfast decide retry, skip, go_to <step> or abandon`;
  }
  const question = openQuestion(run, visit?.token ?? "") ?? run.questions.find(({ answer }) => answer === null) ?? null;
  if (question !== null) return `your answer to ${question.id}: ${JSON.stringify(oneLine(question.text, 200))}`;
  const step = (run.visits.find(waitsForApproval) ?? visit)?.place.step ?? "";
  return `your approval of the step ${oneLine(step, 100)}: run holdfast approve, or holdfast reject --reason "..."`;
}
