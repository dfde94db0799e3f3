import { z } from "zod";
import { evolve } from "../engine/evolve.ts";
import type { Run } from "../model/run.ts";
import { StartedRun } from "../model/run.ts";
import type { Task } from "../model/task.ts";
import type { Commit } from "../store/store.ts";

/** A commit that holds something the state does not keep, and where to find it. */
const Ref = z.strictObject({ version: z.int().positive(), place: z.int().nonnegative() });
export type Ref = z.infer<typeof Ref>;

/** A run folded up to one commit, and where its latest outputs and lists of tasks stand in the journal. */
export interface Projection {
  readonly version: number;
  readonly head: string;
  readonly place: number;
  readonly run: Run;
  readonly outputs: Readonly<Record<string, Ref>>;
  readonly tasks: Readonly<Record<string, Ref>>;
}

export const nothingYet: Projection = {
  version: 0,
  head: "",
  place: 0,
  run: { status: "absent" },
  outputs: {},
  tasks: {},
};

export function project(before: Projection, commit: Commit): Projection {
  const { version, id, place, events } = commit;
  let { run, outputs, tasks } = before;
  for (const event of events) {
    run = evolve(run, event);
    if (event.type === "visit-ended" || event.type === "visit-failed") {
      outputs = { ...outputs, [event.place.step]: { version, place } };
    }
    if (event.type === "tasks-set") tasks = { ...tasks, [event.loop]: { version, place } };
  }
  return { version, head: id, place, run, outputs, tasks };
}

/** Longer lists stay in the journal only, so that a snapshot is small however long a loop is. */
const inlineTasks = 100;

const Snapshot = z.strictObject({
  format: z.literal(1),
  version: z.int().positive(),
  head: z.string(),
  place: z.int().nonnegative(),
  outputs: z.record(z.string(), Ref),
  tasks: z.record(z.string(), Ref),
  left: z.array(z.string()),
  run: StartedRun,
});

export function writeSnapshot(projection: Projection): string {
  const { run, ...rest } = projection;
  if (run.status === "absent") throw new Error("a run that never began has no snapshot");
  const left = Object.entries(run.loops).flatMap(([id, loop]) => (loop.tasks.length > inlineTasks ? [id] : []));
  const loops = Object.entries(run.loops).map(([id, loop]) => [id, left.includes(id) ? { ...loop, tasks: [] } : loop]);
  return JSON.stringify({ format: 1, ...rest, left, run: { ...run, loops: Object.fromEntries(loops) } });
}

/** Null for anything that is not a snapshot of ours: the journal knows better. */
export async function readSnapshot(
  text: string,
  readTasks: (loop: string, ref: Ref) => Promise<readonly Task[] | null>,
): Promise<Projection | null> {
  const parsed = Snapshot.safeParse(parseJson(text));
  if (!parsed.success) return null;
  const { format: _format, left, run, ...rest } = parsed.data;
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
