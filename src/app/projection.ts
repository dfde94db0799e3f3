import { createHash } from "node:crypto";
import { evolve } from "../engine/evolve.ts";
import { isLive } from "../model/live.ts";
import type { Run, StartedRun } from "../model/run.ts";
import type { Task } from "../model/task.ts";
import type { Commit } from "../store/store.ts";
import { parseJson } from "./parse-json.ts";

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
  /** The commit that recorded the last repair: it tells a journal that was repaired from one that was replaced. */
  readonly repair: string;
  readonly run: Run;
  readonly outputs: Readonly<Record<string, Ref>>;
  readonly tasks: Readonly<Record<string, Ref>>;
}

export const nothingYet: Projection = {
  version: 0,
  head: "",
  place: 0,
  repair: "",
  run: { status: "absent" },
  outputs: {},
  tasks: {},
};

export function project(before: Projection, commit: Commit): Projection {
  return { ...locate(before, commit), run: commit.events.reduce<Run>(evolve, before.run) };
}

/** Everything of a projection but the run itself: how far it goes, and where things stand. */
export function locate(before: Projection, commit: Commit): Omit<Projection, "run"> {
  const { version, id, place, events } = commit;
  let { outputs, tasks, repair } = before;
  for (const event of events) {
    if (event.type === "visit-ended" || event.type === "visit-failed") {
      outputs = { ...outputs, [event.place.step]: { version, place } };
    }
    if (event.type === "tasks-set") tasks = { ...tasks, [event.loop]: { version, place } };
    if (event.type === "journal-repaired") repair = id;
  }
  return { version, head: id, place, repair, outputs, tasks };
}

/** Longer lists stay in the journal only, so that a snapshot is small however long a loop is. */
const inlineTasks = 100;

/** A projection as it is kept beside the journal. `left` names the lists of tasks that are too long for it. */
export interface Snapshot extends Projection {
  readonly format: 1;
  /** Stands at the very beginning, so that a look at a few bytes tells. Older snapshots do not say it. */
  readonly ended?: boolean | undefined;
  readonly left: readonly string[];
  readonly run: StartedRun;
}

/** Tells a snapshot from anything else that JSON can hold. */
export type CheckSnapshot = (value: unknown) => Snapshot | null;

/** JSON with a hash over all before it, as in the journal: a snapshot that was edited is none. */
export function writeSnapshot(projection: Projection): string {
  const { run, ...rest } = projection;
  if (run.status === "absent") throw new Error("a run that never began has no snapshot");
  const left = Object.entries(run.loops).flatMap(([id, loop]) => (loop.tasks.length > inlineTasks ? [id] : []));
  const loops = Object.entries(run.loops).map(([id, loop]) => [id, left.includes(id) ? { ...loop, tasks: [] } : loop]);
  const snapshot = { format: 1, ended: !isLive(run), ...rest, left, run: { ...run, loops: Object.fromEntries(loops) } };
  const body = JSON.stringify(snapshot).slice(0, -1);
  return `${body},"hash":"${hashOf(body)}"}`;
}

/** Null for anything that is not a snapshot of ours: the journal knows better. */
export function readSnapshot(text: string, check: CheckSnapshot): Snapshot | null {
  const [ending, hash] = /,"hash":"([0-9a-f]{64})"\}$/.exec(text) ?? [];
  const body = ending === undefined ? null : text.slice(0, -ending.length);
  if (body === null || hashOf(body) !== hash) return null;
  return check(parseJson(`${body}}`));
}

/** The snapshot with the lists of tasks that only the journal has; null when it has them no more. */
export async function fromSnapshot(
  snapshot: Snapshot,
  readTasks: (loop: string, ref: Ref) => Promise<readonly Task[] | null>,
): Promise<Projection | null> {
  const { format: _format, ended: _ended, left, run, ...rest } = snapshot;
  const loops = { ...run.loops };
  for (const id of left) {
    const ref = rest.tasks[id];
    const loop = loops[id];
    const tasks = ref === undefined ? null : await readTasks(id, ref);
    if (loop === undefined || tasks === null) return null;
    loops[id] = { ...loop, tasks };
  }
  return { ...rest, run: { ...run, loops } };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
