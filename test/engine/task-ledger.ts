import { expect } from "vitest";
import { tasksOf } from "../../src/engine/view/view.ts";
import type { EventOf, RunEvent } from "../../src/model/event.ts";
import type { StartedRun } from "../../src/model/run.ts";
import { isLive } from "../../src/model/run-state.ts";

/** How a loop's list stands by its events alone, and the task that a goto left behind. */
interface List {
  readonly marks: string[];
  left: number | null;
}

/**
 * Keeps the tasks of a run's loops by its events, and expects that each is entered when all before it have ended,
 * ends once, and is not passed over when a goto left it. Gives how often one that was left was offered again.
 */
export function expectTasksInTurn(events: readonly RunEvent[], run: StartedRun): number {
  const lists = new Map<string, List>();
  const failedSteps = new Set<string>();
  let offeredAgain = 0;
  for (const event of events) {
    if (event.type === "tasks-set") lists.set(event.loop, listAfter(lists.get(event.loop), event));
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

function listAfter(before: List | undefined, { tasks, kept }: EventOf<"tasks-set">): List {
  const marks = tasks.map((_, index) => (index < kept ? (before?.marks[index] ?? "pending") : "pending"));
  const left = before?.left ?? null;
  return { marks, left: left !== null && left < kept ? left : null };
}

function endTask(list: List | undefined, { index, status }: EventOf<"task-ended">): void {
  expect(list?.marks[index]).toBe("pending");
  if (list !== undefined) list.marks[index] = status;
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
  const last = list?.marks.findLastIndex((mark) => mark !== "pending") ?? -1;
  if (list !== undefined && hasFailed && list.marks[last] === "failed") list.marks[last] = "pending";
}

/** True when the task entered is the one that a goto left. */
function enter(list: List | undefined, { place }: EventOf<"visit-entered">): boolean {
  if (place.type !== "sub-step") return false;
  expect(place.index).toBe(list?.marks.indexOf("pending"));
  if (list?.left === undefined || list.left === null) return false;
  expect(place.index).toBe(list.left);
  list.left = null;
  return true;
}

function expectAllEnded(list: List | undefined, { status }: EventOf<"step-ended">): void {
  if (status === "done") expect(list?.marks ?? []).not.toContain("pending");
}

function expectShown(run: StartedRun, loop: string, { marks }: List): void {
  const open = isLive(run) ? run.visits.flatMap(({ place }) => (place.step === loop ? [place] : [])) : [];
  const current = open.flatMap((place) => (place.type === "sub-step" ? [place.index] : []));
  const shown = tasksOf(run, loop).map((task) => task.status);
  expect(shown).toEqual(marks.map((mark, index) => (current.includes(index) ? "in_progress" : mark)));
}
