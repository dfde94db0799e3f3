import { evolve } from "../engine/evolve/evolve.ts";
import type { Run } from "../model/run.ts";
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
    if (event.type === "visit-ended" || event.type === "visit-failed") {
      outputs = { ...outputs, [event.place.step]: { version, place } };
    }
    if (event.type === "tasks-set") tasks = { ...tasks, [event.loop]: { version, place } };
    if (event.type === "journal-repaired" || event.type === "run-received") repair = id;
  }
  return { version, head: id, place, repair, run, outputs, tasks };
}
