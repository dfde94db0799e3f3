import type { Actor } from "../../model/command.ts";
import type { Fact } from "../../model/event.ts";
import { ownEntry } from "../../model/json.ts";
import type { Place } from "../../model/place.ts";
import type { LiveRun, LoopFacts, Run, Visit } from "../../model/run.ts";
import { openQuestion, personsWord } from "../../model/run-state.ts";
import { type Task, taskProblem } from "../../model/task.ts";
import type { Template } from "../../model/template.ts";
import type { ContextActionName } from "../../model/workflow-type.ts";
import { endOf, hasEnded } from "../loop-state.ts";
import { subStepsOf } from "../step-settings.ts";
import { graphProblem } from "../task-graph.ts";
import { actorOf } from "./approval.ts";
import { dueAction } from "./context-actions.ts";
import {
  accept,
  type CommandHandler,
  type CommandOf,
  createEventDraft,
  type Decision,
  type HandlerContext,
  type Refused,
  refuse,
} from "./decision.ts";
import type { Move } from "./enter-visit.ts";
import { enterTask, finishStep, skipBlocked } from "./move.ts";
import { decisionNeeded, notForAgents, reviewNeeded, spentBudget } from "./visit-checks.ts";

/** Sets a loop's tasks. Tasks that have ended or that somebody works on stay; the others are replaced. */
export const setTasks: CommandHandler<"set-tasks"> = (context, command) => {
  const { template, run } = context;
  const { loop, tasks, person } = command;
  const known = template.steps.flatMap((step) => (step.type === "loop" ? [step.id] : []));
  if (!known.includes(loop)) return refuse({ code: "loop-unknown", loop, known });
  if (run.status === "paused") return refuse({ code: "run-paused", reason: run.reason });
  const invalid = taskProblem(tasks);
  if (invalid !== null) return refuse({ code: "task-invalid", ...invalid });
  const here = run.visits.filter((visit) => visit.place.step === loop);
  const waiting = here.find(({ place }) => place.type !== "sub-step");
  const held = waiting === undefined ? null : refuseWaiting(context, waiting, person);
  if (held !== null) return held;
  const before = ownEntry(run.loops, loop);
  if (here.length === 0 && before?.status === "finished" && isBehind(template, run, loop)) {
    return refuse({ code: "loop-finished", loop });
  }
  const isNew = waiting !== undefined || before?.status === "finished";
  return replaceTasks(context, command, { here, waiting, before: isNew ? undefined : before });
};

interface Current {
  /** The open visits of the loop. */
  readonly here: readonly Visit[];
  /** The one of them that waits for the tasks. */
  readonly waiting: Visit | undefined;
  /** The tasks that the loop has, unless it begins anew. */
  readonly before: LoopFacts | undefined;
}

function replaceTasks(context: HandlerContext, command: CommandOf<"set-tasks">, current: Current): Decision {
  const { template, run, at, outputs } = context;
  const { loop, tasks, session, worktree, clone, person } = command;
  const { here, waiting, before } = current;
  const untouched = new Set(here.filter((visit) => isUntouched(context, visit)));
  const begun = here.filter((visit) => !untouched.has(visit));
  const kept = before === undefined ? [] : keptTasks(before, begun);
  const misfit = keptProblem(tasks, kept) ?? graphProblem(tasks, kept);
  if (misfit !== null) return refuse({ code: "task-invalid", ...misfit });
  const keptIds = new Set(kept.map(({ id }) => id));
  const pending = tasks.filter(({ id }) => !keptIds.has(id));
  const draft = createEventDraft(run, at);
  if (waiting?.pending && person) draft.record(byHand(waiting, person));
  for (const { token, place } of untouched) draft.record({ type: "visit-closed", token, place, reason: "tasks-set" });
  draft.record({ type: "tasks-set", loop, tasks: [...kept, ...pending], kept: kept.length });
  const move: Move = { template, draft, outputs, session, worktree, clone, unread: person && true };
  for (const [index, { id }] of kept.entries()) if (isInVain(draft.run, loop, index)) skipBlocked(move, loop, id);
  if (waiting) beginLoop(move, waiting);
  else if (here[0] !== undefined) enterTask(move, loop, here[0].number, {});
  return accept(draft);
}

function isInVain(run: Run, loop: string, index: number): boolean {
  const facts = run.status === "absent" ? undefined : ownEntry(run.loops, loop);
  const end = facts === undefined ? null : endOf(facts, index);
  return end === "failed" || end === "skipped";
}

/** Those that have ended or have been begun, in their order. */
function keptTasks(loop: LoopFacts, begun: readonly Visit[]): readonly Task[] {
  const open = new Set(begun.flatMap(({ place }) => indexIn(place)));
  return loop.tasks.filter((_, index) => hasEnded(loop, index) || open.has(index));
}

function indexIn(place: Place): number[] {
  return place.type === "sub-step" ? [place.index] : [];
}

/** Whether the task of this visit is open for anyone, and nobody has begun with it. */
function isUntouched({ template, run }: HandlerContext, visit: Visit): boolean {
  const { claim, lost = 0, attempt, note, approval, pending, review, place } = visit;
  const isAtStart = place.type === "sub-step" && subStepsOf(template, place.step)[0]?.id === place.subStep;
  const isNew = attempt === 1 && lost === 0 && note === null && approval === "none";
  const isAsking = openQuestion(run, visit.token) !== null || pending !== undefined || review !== null;
  return claim === null && isAtStart && isNew && !isAsking;
}

/** A task that stays keeps its title. */
function keptProblem(tasks: readonly Task[], kept: readonly Task[]): ReturnType<typeof taskProblem> {
  const keptById = new Map(kept.map((task) => [task.id, task]));
  const index = tasks.findIndex((task) => (keptById.get(task.id)?.title ?? task.title) !== task.title);
  return index === -1 ? null : { index, problem: reusedId };
}

function byHand({ token, place }: Visit, person: Actor): Extract<Fact, { type: "failure-decided" }> {
  const why = "the tasks were set by hand";
  return { type: "failure-decided", token, place, verdict: "retry", to: null, ...actorOf(person), reason: why };
}

/** What keeps a loop that waits for its tasks from getting them. Only a person replaces a source that has failed. */
function refuseWaiting(context: HandlerContext, waiting: Visit, person: Actor | undefined): Refused | null {
  const { token, pending, place } = waiting;
  const isReplaced = person !== undefined && place.type === "command";
  if (pending !== undefined && !isReplaced) return refuse(decisionNeeded(waiting, pending));
  if (waiting.command !== undefined) return refuse(notForAgents(waiting, context.at));
  const spent = spentBudget(context, waiting);
  if (spent !== null) return reviewNeeded(waiting, spent);
  const question = openQuestion(context.run, token);
  return question && refuse({ code: "answer-needed", token, question: question.id, text: question.text });
}

const reusedId = "its id belongs to a task that is finished or in progress; give new work a new id";

/** Starts a loop that was waiting for its tasks; skips it if the list is empty. */
export function beginLoop(move: Move, visit: Visit): void {
  const { token, place, number } = visit;
  move.draft.record({ type: "visit-closed", token, place, reason: "tasks-set" });
  const loop = move.draft.run.status === "absent" ? undefined : ownEntry(move.draft.run.loops, place.step);
  if (loop === undefined || loop.tasks.length === 0) finishStep(move, place.step, "skipped");
  // Feedback from a person is for the work, which starts only now. A failure to list the tasks is history.
  else enterTask(move, place.step, number, { note: personsWord(visit), due: dueAtSource(visit) });
}

/** No agent was there to be asked for the context action, so the first task asks for it. */
function dueAtSource(visit: Visit): ContextActionName | null {
  return visit.place.type === "command" ? dueAction(visit) : null;
}

function isBehind(template: Template, run: LiveRun, loop: string): boolean {
  const place = (step: string) => template.steps.findIndex((candidate) => candidate.id === step);
  return run.visits.every((visit) => place(visit.place.step) > place(loop));
}
