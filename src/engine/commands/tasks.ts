import { ownEntry } from "../../model/json.ts";
import type { LiveRun, LoopFacts, Visit } from "../../model/run.ts";
import { openQuestion, personsWord } from "../../model/run-state.ts";
import { Task } from "../../model/task.ts";
import type { Template } from "../../model/template.ts";
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
import { decisionNeeded, reviewNeeded, spentBudget } from "./visit-checks.ts";

/** Sets a loop's tasks. Tasks that are finished or in progress stay; pending ones are replaced. */
export const setTasks: CommandHandler<"set-tasks"> = (context, { loop, tasks, session }) => {
  const { template, run, at, outputs } = context;
  const known = template.steps.flatMap((step) => (step.type === "loop" ? [step.id] : []));
  if (!known.includes(loop)) return refuse({ code: "loop-unknown", loop, known });
  if (run.status === "paused") return refuse({ code: "run-paused", reason: run.reason });
  const invalid = checkTasks(tasks);
  if (invalid !== null) return invalid;
  const here = run.visits.find((visit) => visit.place.step === loop);
  const waiting = here?.place.type === "loop" ? here : undefined;
  const held = waiting === undefined ? null : refuseWaiting(context, waiting);
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
  draft.record({ type: "tasks-set", loop, tasks: [...kept, ...pending], kept: kept.length });
  if (waiting) begin({ template, draft, outputs, session }, waiting);
  return accept(draft);
};

/** What keeps a loop that waits for its tasks from getting them. */
function refuseWaiting(context: HandlerContext, waiting: Visit): Refused | null {
  const { token } = waiting;
  if (waiting.pending !== undefined) return refuse(decisionNeeded(waiting, waiting.pending));
  const spent = spentBudget(context, waiting);
  if (spent !== null) return reviewNeeded(waiting, spent);
  const question = openQuestion(context.run, token);
  return question && refuse({ code: "answer-needed", token, question: question.id, text: question.text });
}

const reusedId = "its id belongs to a task that is finished or in progress; give new work a new id";

/** Starts a loop that was waiting for its tasks; skips it if the list is empty. */
function begin(move: Move, visit: Visit): void {
  const { token, place, number } = visit;
  move.draft.record({ type: "visit-closed", token, place, reason: "tasks-set" });
  const loop = move.draft.run.status === "absent" ? undefined : ownEntry(move.draft.run.loops, place.step);
  if (loop === undefined || loop.tasks.length === 0) finishStep(move, place.step, "skipped");
  // Feedback from a person is for the work, which starts only now. A failure to list the tasks is history.
  else enterTask(move, place.step, number, personsWord(visit));
}

function keptCount(loop: LoopFacts, here: Visit | undefined): number {
  if (here?.place.type === "loop" || loop.status === "finished") return 0;
  return loop.next + (here?.place.type === "sub-step" ? 1 : 0);
}

function isBehind(template: Template, run: LiveRun, loop: string): boolean {
  const place = (step: string) => template.steps.findIndex((candidate) => candidate.id === step);
  return run.visits.every((visit) => place(visit.place.step) > place(loop));
}

function checkTasks(tasks: readonly Task[]): Refused | null {
  const seen = new Set<string>();
  for (const [index, task] of tasks.entries()) {
    const parsed = Task.safeParse(task);
    const problem = parsed.success
      ? seen.has(task.id)
        ? `the id "${task.id}" occurs twice`
        : null
      : wordProblem(parsed.error.issues[0]?.path[0]);
    if (problem !== null) return refuse({ code: "task-invalid", index, problem });
    seen.add(task.id);
  }
  return null;
}

function wordProblem(field: PropertyKey | undefined): string {
  switch (field) {
    case "id":
      return "the id must be text on one line, not empty, at most 100 characters";
    case "title":
      return "the title must be text on one line, not empty, at most 500 characters";
    case "description":
      return "the description must be text, at most 20,000 characters";
    case "depends_on":
      return "depends_on must be a list of task ids";
    default:
      return "a task has only an id and a title, and optionally a description and depends_on";
  }
}
