import type { LoopFacts } from "../model/run.ts";
import type { Task } from "../model/task.ts";

export type TaskEnd = "done" | "failed" | "skipped";

/** How the task at an index ended; null if it has not. */
export function endOf(loop: LoopFacts, index: number): TaskEnd | null {
  if (!hasEnded(loop, index)) return null;
  if (loop.failed.includes(index)) return "failed";
  return loop.skipped?.includes(index) ? "skipped" : "done";
}

export function hasEnded({ next, ahead = [] }: LoopFacts, index: number): boolean {
  return index < next || (ahead[countUpTo(ahead, index) - 1]?.[1] ?? 0) > index;
}

/** By index, 1 for each task that is done. */
export function doneTasks({ tasks, next, ahead = [], failed, skipped = [] }: LoopFacts): Uint8Array {
  const done = new Uint8Array(tasks.length).fill(1, 0, next);
  for (const [from, to] of ahead) for (let index = from; index < to; index++) done[index] = 1;
  for (const index of failed) done[index] = 0;
  for (const index of skipped) done[index] = 0;
  return done;
}

export interface TaskCounts {
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
  readonly total: number;
}

export function countsOf({ tasks, next, ahead = [], failed, skipped = [] }: LoopFacts): TaskCounts {
  const ended = ahead.reduce((sum, [from, to]) => sum + to - from, next);
  return {
    done: ended - failed.length - skipped.length,
    failed: failed.length,
    skipped: skipped.length,
    total: tasks.length,
  };
}

/** The first index from `from` on whose task has not ended; the number of tasks if there is none. */
export function firstPending({ next, ahead = [], tasks }: LoopFacts, from = 0): number {
  let index = Math.max(from, next);
  for (const [start, end] of ahead) if (start <= index && index < end) index = end;
  return Math.min(index, tasks.length);
}

export function endTask(loop: LoopFacts, index: number, end: TaskEnd): LoopFacts {
  if (hasEnded(loop, index)) return loop;
  const failed = end === "failed" ? [...loop.failed, index] : loop.failed;
  const skipped = end === "skipped" ? [...(loop.skipped ?? []), index] : loop.skipped;
  return withRanges({ ...loop, failed, ...(skipped && { skipped }) }, includeIndex(rangesOf(loop), index));
}

/** In place: where every second task waits, there are thousands of ranges. */
function includeIndex(ranges: readonly Range[], index: number): readonly Range[] {
  const at = countUpTo(ranges, index);
  const [before, after] = [ranges[at - 1], ranges[at]];
  const isBehind = before?.[1] === index;
  const isBefore = after?.[0] === index + 1;
  const joined: Range = [isBehind ? before[0] : index, isBefore ? after[1] : index + 1];
  return ranges.toSpliced(isBehind ? at - 1 : at, Number(isBehind) + Number(isBefore), joined);
}

/** The task is pending again. */
export function reopenTask(loop: LoopFacts, index: number): LoopFacts {
  const others = (indexes: readonly number[]) => indexes.filter((each) => each !== index);
  const ranges = rangesOf(loop).flatMap(([from, to]): Range[] =>
    from <= index && index < to
      ? [
          [from, index],
          [index + 1, to],
        ]
      : [[from, to]],
  );
  const skipped = loop.skipped && { skipped: others(loop.skipped) };
  return withRanges({ ...loop, failed: others(loop.failed), ...skipped }, joinRanges(ranges));
}

/** The loop with another list of tasks, in which those that have ended are still, possibly at other places. */
export function replaceTasks(loop: LoopFacts, tasks: readonly Task[]): LoopFacts {
  const places = new Map(tasks.map(({ id }, index) => [id, index]));
  const moved = (index: number) => places.get(loop.tasks[index]?.id ?? "") ?? index;
  const ranges = rangesOf(loop).flatMap(([from, to]) =>
    loop.tasks.slice(from, to).map((_, offset): Range => [moved(from + offset), moved(from + offset) + 1]),
  );
  const skipped = loop.skipped && { skipped: loop.skipped.map(moved) };
  return withRanges({ ...loop, tasks, failed: loop.failed.map(moved), ...skipped }, joinRanges(ranges));
}

/** From the first index to the one before the second. */
type Range = NonNullable<LoopFacts["ahead"]>[number];

/** How many of the ranges, which are in order, begin at the index or before it. */
function countUpTo(ranges: readonly Range[], index: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.[0] ?? 0) > index) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The first one begins with the first task, and may be empty. */
function rangesOf({ next, ahead = [] }: LoopFacts): readonly Range[] {
  return [[0, next], ...ahead];
}

function withRanges({ ahead: _ahead, ...loop }: LoopFacts, [first, ...ahead]: readonly Range[]): LoopFacts {
  return { ...loop, next: first?.[1] ?? 0, ...(ahead.length > 0 && { ahead }) };
}

/** Puts ranges in order and joins those that touch. */
function joinRanges(ranges: readonly Range[]): readonly Range[] {
  const joined: Range[] = [[0, 0]];
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (from >= to) continue;
    if (last?.[1] === from) joined[joined.length - 1] = [last[0], to];
    else joined.push([from, to]);
  }
  return joined;
}
