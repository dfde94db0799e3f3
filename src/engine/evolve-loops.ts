import type { EventOf } from "../model/event.ts";
import type { Place } from "../model/place.ts";
import type { LiveRun, LoopFacts } from "../model/run.ts";
import { freshMarks, keepMarks, markAt, setMark } from "./marks.ts";

export function setLoop(run: LiveRun, event: EventOf<"tasks-set">): LiveRun {
  const { loop, tasks, kept } = event;
  const before = run.loops[loop];
  if (before === undefined || kept === 0) {
    return withLoop(run, loop, { status: "set", tasks, marks: freshMarks(tasks.length), next: 0, done: 0, failed: 0 });
  }
  const marks = keepMarks(before.marks, kept, tasks.length);
  return withLoop(run, loop, { ...before, status: "set", tasks, marks });
}

export function markTask(run: LiveRun, event: EventOf<"task-ended">): LiveRun {
  const loop = run.loops[event.loop];
  if (loop === undefined || markAt(loop.marks, event.index) !== "pending") return run;
  return withLoop(run, event.loop, {
    ...loop,
    marks: setMark(loop.marks, event.index, event.status),
    next: Math.max(loop.next, event.index + 1),
    [event.status]: loop[event.status] + 1,
  });
}

/** A task whose visit was closed without an answer is pending again. */
export function releaseTask(run: LiveRun, place: Place): LiveRun {
  const loop = run.loops[place.step];
  if (place.type !== "sub-step" || loop === undefined) return run;
  return withLoop(run, place.step, { ...loop, next: Math.min(loop.next, place.index) });
}

export function finishLoop(run: LiveRun, step: string): LiveRun {
  const loop = run.loops[step];
  return loop === undefined ? run : withLoop(run, step, { ...loop, status: "finished" });
}

function withLoop(run: LiveRun, id: string, loop: LoopFacts): LiveRun {
  return { ...run, loops: { ...run.loops, [id]: loop } };
}
