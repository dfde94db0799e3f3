import fc from "fast-check";
import { expect, test } from "vitest";
import { doneTasks, endOf, endTask, firstPending, reopenTask, type TaskEnd } from "../../src/engine/loop-state.ts";
import { firstReady } from "../../src/engine/task-graph.ts";
import { LoopFacts } from "../../src/model/run.ts";

const before = fc.array(fc.array(fc.nat(11), { maxLength: 3 }), { minLength: 1, maxLength: 12, size: "max" });
const change = fc.record({
  index: fc.nat(11),
  end: fc.constantFrom<(TaskEnd | null)[]>("done", "done", "done", "failed", "skipped", null),
});
const changes = fc.array(change, { maxLength: 40, size: "max" });
const open = fc.uniqueArray(fc.nat(11), { maxLength: 3 });

test("in whatever order tasks end and begin again, a loop knows how each ended and which one is next", () => {
  fc.assert(
    fc.property(before, fc.boolean(), changes, open, (graph, isReversed, all, begun) => {
      const tasks = tasksOf(graph, isReversed);
      let loop: LoopFacts = { status: "set", tasks, next: 0, failed: [] };
      const marks: (TaskEnd | null)[] = tasks.map(() => null);
      for (const { index: given, end } of all) {
        const index = given % tasks.length;
        if (end === null) loop = reopenTask(loop, index);
        else loop = endTask(loop, index, end);
        marks[index] = end === null ? null : (marks[index] ?? end);
        expectMarks(LoopFacts.parse(loop), marks);
        expect(firstReady(loop, new Set(begun))).toBe(readyBy(tasks, marks, begun));
      }
    }),
  );
});

function tasksOf(graph: readonly (readonly number[])[], isReversed: boolean) {
  const tasks = graph.map((ids, index) => ({
    id: `t${index}`,
    title: `Task ${index}`,
    depends_on: index === 0 ? [] : ids.map((id) => `t${id % index}`),
  }));
  return isReversed ? tasks.reverse() : tasks;
}

function expectMarks(loop: LoopFacts, marks: readonly (TaskEnd | null)[]): void {
  const { next, ahead = [] } = loop;
  expect(marks.map((_, index) => endOf(loop, index))).toEqual(marks);
  expect([...doneTasks(loop)]).toEqual(marks.map((mark) => Number(mark === "done")));
  expect(firstPending(loop)).toBe([...marks, null].indexOf(null));
  // What is stored stays small: between two ranges there is a task that has not ended.
  expect(ahead.filter(([from, to], at) => from <= (ahead[at - 1]?.[1] ?? next) || to <= from)).toEqual([]);
}

/** The first one whose dependencies are all done, looked up one by one; any if none is open. */
function readyBy(
  tasks: ReturnType<typeof tasksOf>,
  marks: readonly (TaskEnd | null)[],
  begun: readonly number[],
): number | null {
  const markOf = (id: string) => marks[tasks.findIndex((task) => task.id === id)];
  const pending = tasks.flatMap((_, index) => (marks[index] === null ? [index] : []));
  const free = pending.filter((index) => !begun.includes(index));
  const ready = free.find((index) => tasks[index]?.depends_on.every((id) => markOf(id) === "done"));
  return ready ?? (begun.length === 0 ? pending[0] : undefined) ?? null;
}
