import type { Actor } from "../../model/command.ts";
import type { Fact } from "../../model/event.ts";
import { ownEntry } from "../../model/json.ts";
import type { LiveRun, LoopFacts, Visit } from "../../model/run.ts";
import { openQuestion, personsWord } from "../../model/run-state.ts";
import { taskProblem } from "../../model/task.ts";
import type { Template } from "../../model/template.ts";
import type { ContextActionName } from "../../model/workflow-type.ts";
import { actorOf } from "./approval.ts";
import { dueAction } from "./context-actions.ts";
import {
  accept,
  type CommandHandler,
  createEventDraft,
  type HandlerContext,
  type Refused,
  refuse,
} from "./decision.ts";
import type { Move } from "./enter-visit.ts";
import { enterTask, finishStep } from "./move.ts";
import { decisionNeeded, notForAgents, reviewNeeded, spentBudget } from "./visit-checks.ts";

/** Sets a loop's tasks. Tasks that are finished or in progress stay; pending ones are replaced. */
export const setTasks: CommandHandler<"set-tasks"> = (context, { loop, tasks, session, person }) => {
  const { template, run, at, outputs } = context;
  const known = template.steps.flatMap((step) => (step.type === "loop" ? [step.id] : []));
  if (!known.includes(loop)) return refuse({ code: "loop-unknown", loop, known });
  if (run.status === "paused") return refuse({ code: "run-paused", reason: run.reason });
  const invalid = taskProblem(tasks);
  if (invalid !== null) return refuse({ code: "task-invalid", ...invalid });
  const here = run.visits.find((visit) => visit.place.step === loop);
  const waiting = here?.place.type === "sub-step" ? undefined : here;
  const held = waiting === undefined ? null : refuseWaiting(context, waiting, person);
  if (held !== null) return held;
  const before = ownEntry(run.loops, loop);
  if (here === undefined && before?.status === "finished" && isBehind(template, run, loop)) {
    return refuse({ code: "loop-finished", loop });
  }

  const kept = before === undefined ? [] : before.tasks.slice(0, keptCount(before, here));
  const keptById = new Map(kept.map((task) => [task.id, task]));
  const reused = tasks.findIndex((task) => (keptById.get(task.id)?.title ?? task.title) !== task.title);
  if (reused !== -1) return refuse({ code: "task-invalid", index: reused, problem: reusedId });
  const pending = tasks.filter((task) => !keptById.has(task.id));
  const draft = createEventDraft(run, at);
  if (waiting?.pending && person) draft.record(byHand(waiting, person));
  draft.record({ type: "tasks-set", loop, tasks: [...kept, ...pending], kept: kept.length });
  if (waiting) beginLoop({ template, draft, outputs, session, unread: person && true }, waiting);
  return accept(draft);
};

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

function keptCount(loop: LoopFacts, here: Visit | undefined): number {
  const isOpen = here?.place.type === "sub-step";
  if ((here !== undefined && !isOpen) || loop.status === "finished") return 0;
  return loop.next + (isOpen ? 1 : 0);
}

function isBehind(template: Template, run: LiveRun, loop: string): boolean {
  const place = (step: string) => template.steps.findIndex((candidate) => candidate.id === step);
  return run.visits.every((visit) => place(visit.place.step) > place(loop));
}
