import { expect } from "vitest";
import { tasksOf } from "../../src/engine/view/view.ts";
import type { EventOf, RunEvent } from "../../src/model/event.ts";
import type { StartedRun } from "../../src/model/run.ts";
import { isLive } from "../../src/model/run-state.ts";
import type { Template } from "../../src/model/template.ts";

/** How a loop's list stands by its events alone, which task failed last, and which one a goto left behind. */
interface List {
  readonly tasks: EventOf<"tasks-set">["tasks"];
  readonly marks: string[];
  /** Whether several tasks may be open at once. */
  readonly isParallel: boolean;
  failed: number | null;
  left: number | null;
}

/**
 * Keeps the tasks of a run's loops by its events, and expects that each is entered when all before it have ended,
 * ends once, and is not passed over when a goto left it. Gives how often one that was left was offered again.
 */
export function expectTasksInTurn(law: Template, events: readonly RunEvent[], run: StartedRun): number {
  const lists = new Map<string, List>();
  const failedSteps = new Set<string>();
  let offeredAgain = 0;
  for (const event of events) {
    if (event.type === "tasks-set") lists.set(event.loop, listAfter(law, lists.get(event.loop), event));
    if (event.type === "task-ended") endTask(lists.get(event.loop), event);
    if (event.type === "visit-closed") leave(lists.get(event.place.step), event);
    noteFailure(lists, failedSteps, event);
    if (event.type === "visit-entered" && enter(lists.get(event.place.step), event)) offeredAgain++;
    if (event.type === "step-ended") expectAllEnded(lists.get(event.step), event);
  }
  for (const [loop, list] of lists) expectShown(run, loop, list);
  return offeredAgain;
}

/** Tasks whose failure led elsewhere, or ended a run that was reopened, are offered again. */
function noteFailure(lists: ReadonlyMap<string, List>, failedSteps: Set<string>, event: RunEvent): void {
  if (event.type === "failure-routed") stay(lists.get(event.place.step), event);
  if (event.type === "failure-decided" && event.verdict === "go_to") stay(lists.get(event.place.step), event);
  if (event.type === "step-ended" && event.status === "failed") failedSteps.add(event.step);
  if (event.type === "visit-entered") failedSteps.delete(event.place.step);
  if (event.type === "run-reopened") reopen(lists.get(event.step), failedSteps.has(event.step));
}

function listAfter({ steps }: Template, before: List | undefined, { loop, tasks, kept }: EventOf<"tasks-set">): List {
  const indexOf = (index: number | null) => {
    const id = index === null ? undefined : before?.tasks[index]?.id;
    const found = tasks.slice(0, kept).findIndex((task) => task.id === id);
    return found === -1 ? null : found;
  };
  const marks = tasks.map(() => "pending");
  for (const [index, mark] of before?.marks.entries() ?? []) {
    const place = indexOf(index);
    if (place !== null) marks[place] = mark;
  }
  const isParallel = steps.some((step) => step.id === loop && step.type === "loop" && step.parallel !== undefined);
  return { tasks, marks, isParallel, failed: indexOf(before?.failed ?? null), left: indexOf(before?.left ?? null) };
}

function endTask(list: List | undefined, { index, status }: EventOf<"task-ended">): void {
  expect(list?.marks[index]).toBe("pending");
  if (list === undefined) return;
  list.marks[index] = status;
  if (status === "failed") list.failed = index;
}

function leave(list: List | undefined, { place, reason }: EventOf<"visit-closed">): void {
  if (list === undefined) return;
  list.left = place.type === "sub-step" && reason === "goto" ? place.index : null;
}

/** The task whose failure led elsewhere is offered again. */
function stay(list: List | undefined, { place }: EventOf<"failure-routed"> | EventOf<"failure-decided">): void {
  if (list !== undefined && place.type === "sub-step") list.left = place.index;
}

/** The task whose failure ended the run is pending again. */
function reopen(list: List | undefined, hasFailed: boolean): void {
  if (list === undefined || !hasFailed || list.failed === null) return;
  list.marks[list.failed] = "pending";
  list.failed = null;
}

/** True when the task entered is the one that a goto left. */
function enter(list: List | undefined, { place }: EventOf<"visit-entered">): boolean {
  if (place.type !== "sub-step") return false;
  const ready = list === undefined ? [] : readyIn(list);
  if (list?.isParallel) expect(ready).toContain(place.index);
  else expect(place.index).toBe(ready[0]);
  if (list?.left === undefined || list.left === null || list.isParallel) return false;
  expect(place.index).toBe(list.left);
  list.left = null;
  return true;
}

function readyIn({ tasks, marks }: List): number[] {
  const isDone = (id: string) => marks[tasks.findIndex((task) => task.id === id)] === "done";
  const isReady = (index: number) => marks[index] === "pending" && (tasks[index]?.depends_on ?? []).every(isDone);
  return [...tasks.keys()].filter(isReady);
}

function expectAllEnded(list: List | undefined, { status }: EventOf<"step-ended">): void {
  if (status === "done") expect(list?.marks ?? []).not.toContain("pending");
}

function expectShown(run: StartedRun, loop: string, { marks }: List): void {
  const begun = isLive(run) ? run.visits.filter(({ claim }) => claim !== null) : [];
  const open = begun.flatMap(({ place }) => (place.step === loop ? [place] : []));
  const current = open.flatMap((place) => (place.type === "sub-step" ? [place.index] : []));
  const shown = tasksOf(run, loop).map((task) => task.status);
  expect(shown).toEqual(marks.map((mark, index) => (current.includes(index) ? "in_progress" : mark)));
}
