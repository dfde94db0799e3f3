import type { EventOf } from "../../model/event.ts";
import type { LiveRun, LoopFacts } from "../../model/run.ts";
import { ownEntry } from "../own-entry.ts";
import type { Changes } from "./changes.ts";

export function setLoop(run: LiveRun, { loop, tasks, kept }: EventOf<"tasks-set">): Changes {
  const before = ownEntry(run.loops, loop);
  if (before === undefined || kept === 0) return withLoop(run, loop, { status: "set", tasks, next: 0, failed: [] });
  return withLoop(run, loop, { ...before, status: "set", tasks });
}

export function markTask(run: LiveRun, event: EventOf<"task-ended">): Changes {
  const loop = ownEntry(run.loops, event.loop);
  if (loop === undefined) return {};
  const failed = event.status === "failed" ? [...loop.failed, event.index] : loop.failed;
  return withLoop(run, event.loop, { ...loop, next: event.index + 1, failed });
}

export function finishLoop(run: LiveRun, step: string): Changes {
  const loop = ownEntry(run.loops, step);
  return loop === undefined ? {} : withLoop(run, step, { ...loop, status: "finished" });
}

function withLoop(run: LiveRun, id: string, loop: LoopFacts): Changes {
  return { loops: { ...run.loops, [id]: loop } };
}
