import { waitsForApproval } from "../model/approval.ts";
import type { EventOf, EventType, RunEvent } from "../model/event.ts";
import { isLive } from "../model/live.ts";
import type { LiveRun, Run, StartedRun } from "../model/run.ts";
import { answerQuestion, endCarry, openQuestion, setCarry, withdrawQuestion } from "./evolve-carry.ts";
import { finishLoop, markTask, setLoop } from "./evolve-loops.ts";
import { noteLoaded } from "./evolve-priming.ts";
import { receive, receiveEnded } from "./evolve-received.ts";
import { countCompaction, endSession, startSession } from "./evolve-sessions.ts";
import {
  changeVisit,
  closeVisit,
  count,
  decideReview,
  enterVisit,
  failVisit,
  markStep,
  seat,
  seeGates,
  spend,
  turnClocks,
} from "./evolve-visits.ts";

/** Folds one fact into the run. Total: every event has a next state, whatever came before. */
export function evolve(run: Run, event: RunEvent): Run {
  if (event.type === "run-started") return begin(event);
  if (!isLive(run)) {
    return event.type === "run-received" && run.status !== "absent" ? receiveEnded(run, event) : run;
  }
  // The table is indexed by the very type that the event has, which the compiler cannot follow.
  const fold = folds[event.type] as (run: LiveRun, event: RunEvent) => StartedRun;
  const next = settle(fold({ ...run, seq: event.seq, updatedAt: event.at }, event));
  const running = next.status === "running";
  return isLive(next) && running !== (run.status === "running") ? turnClocks(next, event.at, running) : next;
}

export function replay(events: Iterable<RunEvent>): Run {
  let run: Run = { status: "absent" };
  for (const event of events) run = evolve(run, event);
  return run;
}

const folds: { readonly [T in Exclude<EventType, "run-started">]: (run: LiveRun, event: EventOf<T>) => StartedRun } = {
  "visit-entered": enterVisit,
  "visit-taken": (run, event) => seat(run, event.session, event.token),
  "visit-ended": (run, event) => ({
    ...spend(closeVisit(run, event.token), event),
    ...(event.variables && { variables: { ...run.variables, ...event.variables } }),
    ...(event.artifacts && { artifacts: { ...run.artifacts, ...event.artifacts } }),
  }),
  "visit-failed": failVisit,
  "visit-closed": (run, event) => {
    const left = markStep(closeVisit(run, event.token), event.place.step, "left");
    // A pivot means another plan, so the rest of the old list is not come back to.
    return event.reason === "pivot" ? finishLoop(left, event.place.step) : left;
  },
  "step-ended": (run, event) => {
    const ended = finishLoop(markStep(run, event.step, event.status), event.step);
    // Only a loop is ever skipped, and then perhaps without a visit.
    return event.status === "skipped" ? { ...ended, last: { type: "loop", step: event.step } } : ended;
  },
  "tasks-set": setLoop,
  "task-ended": markTask,
  "context-action-handed-out": (run, event) =>
    changeVisit(run, event.token, { action: { name: event.action, status: "handed-out" } }),
  "context-action-observed": (run, event) =>
    changeVisit(run, event.token, { action: { name: event.action, status: "observed" } }),
  "gates-started": (run, event) =>
    changeVisit(run, event.token, { checking: { runner: event.runner, since: event.at } }),
  "gates-interrupted": (run, event) => changeVisit(run, event.token, { checking: null }),
  "gates-checked": seeGates,
  "approval-requested": (run, event) => changeVisit(run, event.token, { approval: "requested" }),
  "approval-given": (run, event) =>
    changeVisit(run, event.token, {
      approval: "given",
      ...(event.reason !== null && { note: { from: "approved", text: event.reason } }),
    }),
  "approval-refused": (run, event) =>
    changeVisit(run, event.token, { approval: "none", note: { from: "approval", text: event.reason } }),
  "budget-counted": count,
  "review-opened": (run, event) => changeVisit(run, event.token, { review: event.spent }),
  "review-decided": decideReview,
  "carry-set": setCarry,
  "carry-ended": endCarry,
  "question-asked": openQuestion,
  "question-answered": answerQuestion,
  "question-withdrawn": withdrawQuestion,
  "todo-updated": (run, event) => ({ ...run, todo: { file: event.file, hash: event.hash } }),
  "artefacts-registered": (run, event) => ({ ...run, artefacts: [...run.artefacts, ...event.paths] }),
  "summary-set": (run, event) => ({ ...run, summary: event.summary }),
  "session-started": startSession,
  "session-ended": endSession,
  "compaction-began": countCompaction,
  "compaction-ended": (run) => run,
  "artifacts-loaded": noteLoaded,
  "card-edited": (run, event) => ({ ...run, card: event.edits }),
  "template-adopted": (run, event) => ({ ...run, templateHash: event.templateHash }),
  "journal-repaired": (run) => run,
  "run-received": receive,
  "run-paused": (run, event) => ({ ...run, status: "paused", reason: event.reason }),
  "run-resumed": (run) => withoutReason(run),
  "run-redirected": (run) => run,
  "run-completed": (run, event) => ({ ...end(run, event.at), status: "complete" }),
  "run-failed": (run, event) => ({ ...end(run, event.at), status: "failed", reason: event.reason }),
  "run-aborted": (run, event) => ({ ...end(run, event.at), status: "aborted", reason: event.reason }),
};

function begin(event: EventOf<"run-started">): Run {
  const { seq, at, type: _type, ...identity } = event;
  const lists = { artefacts: [], spent: [], seats: [], sessions: [], visits: [] };
  const card = { required_reading: [], key_reminders: [], context: {}, other: {} };
  const priming = { reloads: 0, lastAt: null, epoch: null, loaded: [] };
  const kept = { carried: { pivot: null, names: [] }, questions: [], asked: 0, todo: null };
  const nothing = { ...lists, artifacts: {}, steps: {}, loops: {}, card, priming, ...kept };
  return { status: "running", seq, ...identity, startedAt: at, updatedAt: at, last: null, ...nothing };
}

/** The status of a live run follows from its open visits; only a pause stands above them. */
function settle(run: StartedRun): StartedRun {
  if (!isLive(run) || run.status === "paused") return run;
  const status = run.visits.some((visit) => visit.review !== null)
    ? "review"
    : run.visits.some(waitsForApproval) || run.questions.some(({ answer }) => answer === null)
      ? "waiting"
      : "running";
  return run.status === status ? run : { ...run, status };
}

function withoutReason(run: LiveRun): LiveRun {
  if (run.status !== "paused") return run;
  const { reason: _reason, ...rest } = run;
  return { ...rest, status: "running" };
}

function end(run: LiveRun, endedAt: string) {
  const { visits: _visits, ...facts } = withoutReason(run);
  return { ...facts, endedAt };
}
