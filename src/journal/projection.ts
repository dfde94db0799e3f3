import { evolve } from "../engine/evolve/evolve.ts";
import type { RunEvent } from "../model/event.ts";
import type { Place } from "../model/place.ts";
import type { Run } from "../model/run.ts";
import { claimIn } from "../model/run-state.ts";
import type { Commit } from "../store/store.ts";

/** The position of a commit in the journal, for content that the state does not include. */
export interface Ref {
  readonly version: number;
  readonly place: number;
}

/** A run folded up to one commit, and the positions of its latest outputs and task lists in the journal. */
export interface Projection {
  readonly version: number;
  readonly head: string;
  readonly place: number;
  /** The commit of the last repair or receipt. It tells a journal that was replaced on purpose from a rewound one. */
  readonly repair: string;
  readonly run: Run;
  /** By step; in a loop with `parallel` also by task, until the task has ended. */
  readonly outputs: Readonly<Record<string, Ref>>;
  readonly tasks: Readonly<Record<string, Ref>>;
}

export const emptyProjection: Projection = {
  version: 0,
  head: "",
  place: 0,
  repair: "",
  run: { status: "absent" },
  outputs: {},
  tasks: {},
};

export function project(before: Projection, commit: Commit): Projection {
  return projectTo(before, commit, commit.events.reduce<Run>(evolve, before.run));
}

/** The same, when the run after the commit is known already. */
export function projectTo(before: Projection, commit: Commit, run: Run): Projection {
  const { version, id, place, events } = commit;
  let { outputs, tasks, repair } = before;
  for (const event of events) {
    outputs = outputsAfter(outputs, event, { version, place });
    if (event.type === "tasks-set") tasks = { ...tasks, [event.loop]: { version, place } };
    if (event.type === "journal-repaired" || event.type === "run-received") repair = id;
  }
  return { version, head: id, place, repair, run, outputs, tasks };
}

function outputsAfter(outputs: Projection["outputs"], event: RunEvent, ref: Ref): Projection["outputs"] {
  if (event.type === "task-ended") return without(outputs, keyOf(event.loop, event.task));
  if (event.type !== "visit-ended" && event.type !== "visit-failed") return outputs;
  const task = claimIn(event.token) === null ? null : taskKey(event.place);
  return { ...outputs, [event.place.step]: ref, ...(task !== null && { [task]: ref }) };
}

/** The key of the latest output of a task; null if the place is in no task. */
export function taskKey(place: Place): string | null {
  return place.type === "sub-step" ? keyOf(place.step, place.task) : null;
}

/** No step has a name with a line break in it. */
function keyOf(loop: string, task: string): string {
  return `${loop}\n${task}`;
}

function without(outputs: Projection["outputs"], key: string): Projection["outputs"] {
  if (!Object.hasOwn(outputs, key)) return outputs;
  const { [key]: _ended, ...others } = outputs;
  return others;
}
