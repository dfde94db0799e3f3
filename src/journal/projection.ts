import { evolve } from "../engine/evolve/evolve.ts";
import type { Run } from "../model/run.ts";
import type { Commit } from "../store/store.ts";

/** A commit that holds something the state does not keep, and where to find it. */
export interface Ref {
  readonly version: number;
  readonly place: number;
}

/** A run folded up to one commit, and where its latest outputs and lists of tasks stand in the journal. */
export interface Projection {
  readonly version: number;
  readonly head: string;
  readonly place: number;
  /** The commit that recorded the last repair, or how it came here: it tells such a journal from one that was swapped. */
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

/** The same where the run that the commit leads to is known already. */
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
