import type { Overview } from "../../app/queries/overview.ts";
import type { StatusReply } from "../../app/runs/reply.ts";
import type { Paint } from "../terminal/paint.ts";
import { localTime } from "../terminal/wording.ts";

type OpenTask = NonNullable<StatusReply["openTasks"]>[number];

/** Who works on what, in a loop that several agents work on. */
export function openTaskLines({ openTasks = [], step, progress }: StatusReply, paint: Paint, indent: string): string[] {
  if (openTasks.length === 0) return [];
  const { completedTasks = 0, totalTasks = 0 } = progress;
  const head = `  ● ${paint.strong(`${step} · ${completedTasks} of ${totalTasks} tasks done, ${openTasks.length} open`)}`;
  const rows = openTasks.map((task) => `${indent}${paint.fit(rowOf(task), paint.columns - indent.length)}`);
  return [head, ...rows, ...mixedLines(openTasks).map((line) => paint.bad(`${indent}${line}`))];
}

/** The tasks of the loop that have ended without being done. */
export function notDoneLines({ failedTasks, skippedTasks }: Overview, paint: Paint, indent: string): string[] {
  const line = (word: string, ids: readonly string[]) =>
    ids.length === 0 ? [] : [`${indent}${paint.fit(`${word}: ${ids.join(", ")}`, paint.columns - indent.length)}`];
  return [...line("failed", failedTasks).map(paint.bad), ...line("skipped", skippedTasks)];
}

function rowOf(task: OpenTask): string {
  return `${task.id} ${task.title} · ${task.subStep} · ${stateOf(task)}`;
}

function stateOf({ state, waitsFor, session, since }: OpenTask): string {
  if (state === "free") return "free";
  if (state === "waiting") return `waits for ${waits[waitsFor ?? "decision"]}`;
  return `worked on by ${session ?? "a script"}${since === undefined ? "" : ` since ${localTime(since, "minutes")}`}`;
}

const waits = {
  approval: "your approval",
  answer: "your answer",
  decision: "your decision",
  budget: "your decision about its budget",
} as const;

/** Two agents in one worktree see each other's unfinished changes. */
function mixedLines(tasks: readonly OpenTask[]): string[] {
  const claimed = tasks.filter(({ state }) => state === "claimed");
  const first = claimed.filter((task, index) => claimed.findIndex((other) => isTogether(task, other)) === index);
  return first.flatMap((task) => {
    const { worktree: tree = null } = task;
    const together = claimed.filter((other) => isTogether(task, other)).map(({ id }) => id);
    const where = tree === null ? "the main worktree" : `the worktree ${tree}`;
    if (together.length < 2) return [];
    return [`${together.join(", ")} are worked on in ${where} at the same time; their changes can mix.`];
  });
}

function isTogether(one: OpenTask, other: OpenTask): boolean {
  return (one.worktree ?? null) === (other.worktree ?? null) && one.clone === other.clone;
}

export function openTasksNext(openTasks: readonly OpenTask[]): string {
  const waiting = openTasks.filter(({ state }) => state === "waiting");
  const [first] = waiting;
  const isFree = openTasks.some(({ state }) => state === "free");
  if (first === undefined) {
    return `the agents work on these tasks${isFree ? "; whoever asks next gets one that is free" : ""}.`;
  }
  const command = `holdfast ${commandFor(first)}`;
  const isAll = waiting.length === openTasks.length;
  return `a person runs ${command}${isAll ? "" : "; the other tasks go on meanwhile"}.`;
}

function commandFor({ id, waitsFor }: OpenTask): string {
  if (waitsFor === "answer") return "answer";
  return waitsFor === "approval" ? `approve --task ${id}` : `decide --task ${id}`;
}
