import type { LoopFacts } from "../model/run.ts";
import type { Task } from "../model/task.ts";
import { doneTasks, endOf, firstPending } from "./loop-state.ts";

/** The first task whose `depends_on` cannot be kept, and why; null if all can. `kept` are tasks that stay before these. */
export function graphProblem(
  tasks: readonly Task[],
  kept: readonly Task[] = [],
): { readonly index: number; readonly problem: string } | null {
  const { places } = graphOf([...kept, ...tasks]);
  for (const [index, { depends_on: before = [] }] of tasks.entries()) {
    const unknown = before.find((id) => !places.has(id));
    if (unknown !== undefined) return { index, problem: `depends_on names "${unknown}", which is none of the tasks` };
  }
  const circle = findCircle(tasks);
  if (circle === null) return null;
  const named = circle.slice(0, mostNamed).map((id) => `"${id}"`);
  const more = circle.length > mostNamed ? ` and ${circle.length - mostNamed} more` : "";
  const problem = `the tasks depend on each other in a circle: ${named.join(", ")}${more}`;
  return { index: tasks.findIndex(({ id }) => id === circle[0]), problem };
}

const mostNamed = 10;

/** Takes away every task that waits for none of the others, until the rest waits in a circle. */
function findCircle(tasks: readonly Task[]): string[] | null {
  const { dependents, places } = graphOf(tasks);
  const waits = tasks.map(({ depends_on: before = [] }) => new Set(before.filter((id) => places.has(id))).size);
  const free = waits.flatMap((count, index) => (count === 0 ? [index] : []));
  // It grows while it is read.
  for (const index of free) {
    for (const dependent of dependents.get(tasks[index]?.id ?? "") ?? []) {
      const left = (waits[dependent] ?? 0) - 1;
      waits[dependent] = left;
      if (left === 0) free.push(dependent);
    }
  }
  return free.length === tasks.length ? null : follow(tasks.filter((_, index) => (waits[index] ?? 0) > 0));
}

/** Each of these tasks waits for another one of them. */
function follow(tasks: readonly Task[]): string[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const path = new Set<string>();
  let id = tasks[0]?.id;
  while (id !== undefined && !path.has(id)) {
    path.add(id);
    id = byId.get(id)?.depends_on?.find((before) => byId.has(before));
  }
  const ids = [...path];
  return id === undefined ? ids : [...ids.slice(ids.indexOf(id)), id];
}

/** Which task is at which index, and which ones depend on it. */
interface Graph {
  readonly places: ReadonlyMap<string, number>;
  readonly dependents: ReadonlyMap<string, readonly number[]>;
  /** The indexes, by task, of those that it depends on. Empty where none depends on another. */
  readonly before: readonly (readonly number[])[];
  /** By task, the last one that was seen to block it, or -1. It saves the look at the others as long as it does. */
  readonly blocking: Int32Array;
}

/** A list of tasks never changes, and is looked at whenever a task ends. */
const graphs = new WeakMap<readonly Task[], Graph>();

function graphOf(tasks: readonly Task[]): Graph {
  const known = graphs.get(tasks);
  if (known !== undefined) return known;
  const places = new Map(tasks.map(({ id }, index) => [id, index]));
  const dependents = new Map<string, number[]>();
  for (const [index, { depends_on: before = [] }] of tasks.entries()) {
    for (const id of new Set(before)) {
      const those = dependents.get(id);
      if (those === undefined) dependents.set(id, [index]);
      else those.push(index);
    }
  }
  const isFree = dependents.size === 0;
  const before = isFree ? [] : tasks.map(({ depends_on: ids = [] }) => ids.flatMap((id) => places.get(id) ?? []));
  const graph = { places, dependents, before, blocking: Int32Array.from(before, ([first = -1]) => first) };
  graphs.set(tasks, graph);
  return graph;
}

/** The first task that can begin now: not ended, not open, and all that it depends on is done. Null if none can. */
export function firstReady(loop: LoopFacts, open: ReadonlySet<number>): number | null {
  const { tasks, ahead = [] } = loop;
  const isReady = readiness(loop);
  let from = loop.next;
  // Between the tasks that have ended are those that have not.
  for (const [start, end] of [...ahead, [tasks.length, tasks.length] as const]) {
    for (let index = from; index < start; index++) if (isReady(index) && !open.has(index)) return index;
    from = end;
  }
  // Lists of older versions may name tasks in a circle; nothing is left out because of that.
  const rest = firstPending(loop);
  return open.size === 0 && rest < tasks.length ? rest : null;
}

/** Asked of every task that is left whenever one ends, so it looks at a single other one where it can. */
function readiness(loop: LoopFacts): (index: number) => boolean {
  const { before, blocking } = graphOf(loop.tasks);
  if (before.length === 0) return () => true;
  const done = doneTasks(loop);
  return (index) => {
    const known = blocking[index] ?? -1;
    if (done[known] === 0) return false;
    const other = before[index]?.find((each) => done[each] === 0);
    if (other !== undefined) blocking[index] = other;
    return other === undefined;
  };
}

export interface Blocked {
  readonly index: number;
  /** The task that it waited for in vain. */
  readonly because: string;
}

/** The tasks that can no longer be done because this one failed: those that depend on it, and those that depend on them. */
export function blockedBy(loop: LoopFacts, failed: string): readonly Blocked[] {
  const { dependents } = graphOf(loop.tasks);
  const blocked = new Map<number, string>();
  const reached = [failed];
  // It grows while it is read.
  for (const because of reached) {
    for (const index of dependents.get(because) ?? []) {
      const task = loop.tasks[index];
      if (task === undefined || blocked.has(index) || endOf(loop, index) !== null) continue;
      blocked.set(index, because);
      reached.push(task.id);
    }
  }
  return [...blocked].map(([index, because]) => ({ index, because }));
}
