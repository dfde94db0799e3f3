import type { EventOf, EventType, RunEvent } from "../../model/event.ts";
import type { LiveRun, Run, StartedRun } from "../../model/run.ts";
import { canGoOn, isLive } from "../../model/run-state.ts";
import type { Changes } from "./changes.ts";
import { answerQuestion, endCarry, openQuestion, setCarry, withdrawQuestion } from "./evolve-carry.ts";
import { claimVisit, loseClaim, releaseClaim } from "./evolve-claims.ts";
import { beginAttempt, beginDrive, deliver, endDrive, loseAttempt, park, tell } from "./evolve-driving.ts";
import { decideFailure, reopenRun, routeFailure } from "./evolve-failures.ts";
import { receive, receiveEnded } from "./evolve-received.ts";
import { countCompaction, endSession, noteLoaded, startSession } from "./evolve-sessions.ts";
import { countForVisit, decideReview, openReview, recordUsage, stopClock, turnClocks } from "./evolve-usage.ts";
import {
  adoptTemplate,
  askForApproval,
  changeVisit,
  closeVisit,
  enterVisit,
  failVisit,
  finishLoop,
  forgetJumps,
  markStep,
  markTask,
  noteOutcome,
  seat,
  seeGates,
  setLoop,
  spend,
  takeInstructions,
  withoutCommand,
} from "./evolve-visits.ts";

/** Applies one event to the run. Never throws: every event has a next state, whatever came before. */
export function evolve(run: Run, event: RunEvent): Run {
  if (event.type === "run-started") return begin(event);
  if (!isLive(run)) {
    if (run.status === "absent") return run;
    if (event.type === "run-reopened") return reopenRun(run, event);
    // Its number counts, or a run that is reopened after it would use that number again.
    if (event.type === "journal-repaired") return { ...run, seq: event.seq };
    return event.type === "run-received" ? receiveEnded(run, event) : run;
  }
  const next = settle(move(run, event));
  return isLive(next) ? turnClocks(run, next, event.at) : next;
}

export function replay(events: Iterable<RunEvent>): Run {
  let run: Run = { status: "absent" };
  for (const event of events) run = evolve(run, event);
  return run;
}

function move(run: LiveRun, event: Exclude<RunEvent, { type: "run-started" }>): StartedRun {
  const { seq, at } = event;
  switch (event.type) {
    case "run-resumed":
      return withoutReason({ ...run, seq, updatedAt: at });
    case "run-completed":
      return { ...end(run, seq, at), status: "complete" };
    case "run-failed":
      return { ...end(run, seq, at), status: "failed", reason: event.reason };
    case "run-aborted":
      return { ...end(run, seq, at), status: "aborted", reason: event.reason };
    default: {
      // TypeScript cannot see that the entry for `event.type` takes exactly this event.
      const change = changes[event.type] as (run: LiveRun, event: RunEvent) => Changes;
      return { ...run, seq, updatedAt: at, ...change(run, event) } as LiveRun;
    }
  }
}

type Changing = Exclude<EventType, "run-started" | "run-resumed" | "run-completed" | "run-failed" | "run-aborted">;

const changes: { readonly [T in Changing]: (run: LiveRun, event: EventOf<T>) => Changes } = {
  "visit-entered": enterVisit,
  "visit-taken": seat,
  "visit-claimed": claimVisit,
  "claim-lost": loseClaim,
  "claim-released": releaseClaim,
  "instructions-taken": takeInstructions,
  "visit-ended": endVisit,
  "visit-failed": failVisit,
  "decision-requested": (run, { token, why, reason }) => changeVisit(run, token, { pending: { why, reason } }),
  "failure-decided": decideFailure,
  "failure-routed": routeFailure,
  "visit-closed": (run, { token, place: { step }, reason }) => ({
    ...closeVisit(run, token),
    // Other tasks of a loop may still be open.
    ...(!run.visits.some((visit) => visit.place.step === step && visit.token !== token) && markStep(run, step, "left")),
    // A pivot means a new plan, so the remaining tasks of the old list are dropped.
    ...(reason === "pivot" && finishLoop(run, step)),
  }),
  "step-skipped": (run, { place }) =>
    place.type === "sub-step" ? {} : { ...markStep(run, place.step, "skipped"), last: place },
  "step-ended": (run, { step, status }) => ({
    ...markStep(run, step, status),
    ...finishLoop(run, step),
    // Only loops are skipped, possibly without a visit.
    ...(status === "skipped" && { last: { type: "loop", step } }),
  }),
  "tasks-set": setLoop,
  "task-ended": markTask,
  "context-action-handed-out": (run, event) =>
    changeVisit(run, event.token, { action: { name: event.action, status: "handed-out" } }),
  "context-action-observed": (run, event) =>
    changeVisit(run, event.token, { action: { name: event.action, status: "observed" } }),
  "context-action-skipped": nothing,
  "command-started": (run, { token, runner, repeatable, at }) =>
    changeVisit(run, token, { command: { runner, since: at, repeatable } }),
  "command-interrupted": (run, { token }) => withoutCommand(run, token),
  "command-ended": (run, { token }) => withoutCommand(run, token),
  "gates-started": (run, event) =>
    changeVisit(run, event.token, { checking: { runner: event.runner, since: event.at } }),
  "gates-interrupted": (run, event) => changeVisit(run, event.token, { checking: null }),
  "gates-checked": seeGates,
  "approval-requested": askForApproval,
  // An approval settles what was said before it: a rejection, or a gate that failed earlier.
  "approval-given": (run, { token, by, reason }) =>
    changeVisit(run, token, { approval: "given", approved: { by, text: reason }, note: null, said: null }),
  "approval-refused": (run, event) =>
    changeVisit(run, event.token, { approval: "none", note: { from: "approval", text: event.reason }, said: null }),
  "budget-counted": countForVisit,
  "usage-recorded": recordUsage,
  "review-opened": openReview,
  "review-decided": decideReview,
  "carry-set": setCarry,
  "carry-ended": endCarry,
  "question-asked": openQuestion,
  "question-answered": answerQuestion,
  "question-withdrawn": withdrawQuestion,
  "todo-updated": (_run, { file, hash }) => ({ todo: { file, hash } }),
  "artefacts-registered": (run, event) => ({ artefacts: [...run.artefacts, ...event.paths] }),
  "summary-set": (_run, { summary }) => ({ summary }),
  "session-started": startSession,
  "session-ended": endSession,
  "compaction-began": countCompaction,
  "compaction-ended": nothing,
  "artifacts-loaded": noteLoaded,
  "card-edited": (_run, { edits }) => ({ card: edits }),
  "template-adopted": adoptTemplate,
  "journal-repaired": nothing,
  "run-received": receive,
  "drive-began": beginDrive,
  "drive-ended": endDrive,
  "attempt-began": beginAttempt,
  "attempt-lost": loseAttempt,
  "run-parked": park,
  "agent-told": tell,
  "messages-delivered": deliver,
  "run-paused": (_run, { reason }) => ({ status: "paused", reason }),
  "run-redirected": forgetJumps,
  // Only a run that has ended is reopened.
  "run-reopened": nothing,
};

function endVisit(run: LiveRun, event: EventOf<"visit-ended">): Changes {
  const { variables, artifacts } = event;
  return {
    ...(event.outcome !== null && noteOutcome(run, event.place.step, event.outcome)),
    spent: spend(run, event),
    variables: variables === undefined ? run.variables : { ...run.variables, ...variables },
    artifacts: artifacts === undefined ? run.artifacts : { ...run.artifacts, ...artifacts },
    ...closeVisit(run, event.token),
  };
}

/** For events that are only recorded. */
function nothing(): Changes {
  return {};
}

function begin(event: EventOf<"run-started">): Run {
  const { seq, at, type: _type, request: _request, ...identity } = event;
  const lists = { artefacts: [], spent: [], seats: [], sessions: [], visits: [] };
  const card = { required_reading: [], key_reminders: [], context: {}, other: {} };
  const priming = { reloads: 0, lastAt: null, epoch: null, loaded: [] };
  const kept = { carried: { pivot: null, names: [] }, questions: [], asked: 0, todo: null };
  const empty = { ...lists, artifacts: {}, steps: {}, loops: {}, card, priming, ...kept };
  return { status: "running", seq, ...identity, startedAt: at, updatedAt: at, last: null, ...empty };
}

/** Derives the status of a live run from its open visits, unless the run is paused. */
function settle(run: StartedRun): StartedRun {
  if (!isLive(run) || run.status === "paused") return run;
  const status = statusOf(run);
  return run.status === status ? run : { ...run, status };
}

/** One visit that waits for a person stops no other. */
function statusOf(run: LiveRun): "running" | "review" | "waiting" {
  const { visits } = run;
  if (visits.length === 0 || visits.some((visit) => canGoOn(run, visit))) return "running";
  return visits.some(({ review }) => review !== null) ? "review" : "waiting";
}

function withoutReason(run: LiveRun): LiveRun {
  if (run.status !== "paused") return run;
  const { reason: _reason, ...rest } = run;
  return { ...rest, status: "running" };
}

function end(run: LiveRun, seq: number, at: string) {
  const { visits: _visits, ...facts } = withoutReason(run);
  return { ...facts, ...stopClock(run, at), seq, updatedAt: at, endedAt: at };
}
