import { parseJson } from "../model/json.ts";
import type { StartedRun } from "../model/run.ts";
import { isLive } from "../model/run-state.ts";
import type { Task } from "../model/task.ts";
import { sha256Hex } from "../platform/hash.ts";
import type { Projection, Ref } from "./projection.ts";

/** Longer task lists stay in the journal, so that snapshots stay small. */
const inlineTasks = 100;

/** A projection as it is stored beside the journal. `left` names the loops whose task lists are too long for it. */
export interface Snapshot extends Projection {
  readonly format: 1;
  /** Stored near the beginning, so that reading a few bytes is enough. Older snapshots do not have it. */
  readonly ended?: boolean | undefined;
  readonly left: readonly string[];
  readonly run: StartedRun;
}

/** Returns the value as a snapshot, or null if it is not one; then the journal is read. */
export type CheckSnapshot = (value: unknown) => Snapshot | null | Promise<Snapshot | null>;

/** JSON that ends with a hash over the rest, as in the journal, so that an edited snapshot is not accepted. */
export function writeSnapshot(projection: Projection): string {
  const { run, ...rest } = projection;
  if (run.status === "absent") throw new Error("a run that never began has no snapshot");
  const left = Object.entries(run.loops).flatMap(([id, loop]) => (loop.tasks.length > inlineTasks ? [id] : []));
  const loops = Object.entries(run.loops).map(([id, loop]) => [id, left.includes(id) ? { ...loop, tasks: [] } : loop]);
  const snapshot = { format: 1, ended: !isLive(run), ...rest, left, run: { ...run, loops: Object.fromEntries(loops) } };
  const body = JSON.stringify(snapshot).slice(0, -1);
  return `${body},"hash":"${sha256Hex(body)}"}`;
}

/** The value of a snapshot's text; null if the hash is wrong. */
export function openSnapshot(text: string): unknown {
  const [ending, hash] = /,"hash":"([0-9a-f]{64})"\}$/.exec(text) ?? [];
  const body = ending === undefined ? null : text.slice(0, -ending.length);
  return body === null || sha256Hex(body) !== hash ? null : parseJson(`${body}}`);
}

/** Adds the task lists that are only in the journal; null if they are not there any more. */
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
