import { isHoldfastError } from "../errors.ts";
import { parseJson } from "../model/json.ts";
import type { StartedRun } from "../model/run.ts";
import { isLive } from "../model/run-state.ts";
import type { Task } from "../model/task.ts";
import { sha256Hex } from "../platform/files.ts";
import type { RunTexts } from "../store/run-files.ts";
import type { Store } from "../store/store.ts";
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
function writeSnapshot(projection: Projection): string {
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

/** Keeps snapshots close behind their journals without delaying callers. */
export interface SnapshotKeeper {
  /** Null if there is no usable snapshot. */
  read(runId: string): Promise<Snapshot | null>;
  write(runId: string, projection: Projection): void;
  /** Called after every commit of this process. Now and then it keeps a milestone, which no later snapshot replaces. */
  mark(runId: string, projection: Projection): void;
  /** Called when a run is loaded. Writes its snapshot at once if it is missing or far behind, or if the run has ended. */
  see(runId: string, projection: Projection): void;
  /** Called after a commit of this process. Renews the snapshot shortly after the reply has been sent. */
  renewSoon(runId: string, projection: Projection): void;
  /** Renews all due snapshots now, for a process that is about to exit. */
  settle(): Promise<void>;
}

export const snapshotName = "snapshot.json";
/** How the snapshot of an ended run begins. */
export const endedBeginning = '{"format":1,"ended":true,';
/**
 * The snapshot is renewed after this many commits at the latest, if they follow each other without a pause; a rewind by fewer could
 * then go unnoticed. Replacing a file is slow on some disks.
 */
const snapshotEvery = 128;

/** Snapshots that stay, so that any state of the past is soon found. Each is named after the last event before it. */
export const milestoneFolder = "past";
/** In commits. A new process folds that many in far less time than it takes to start. */
export const milestoneEvery = 128;

export function milestoneName(seq: number): string {
  return `${milestoneFolder}/${seq}.json`;
}

/** Long enough to send the reply first, short enough to be done before a hook reads the snapshot. */
const momentMs = 20;

/**
 * Removes a snapshot that says that the run has ended, which hooks believe. Call it before the run may become live
 * again: afterwards a killed process would leave a live run that no hook speaks of.
 */
export function forgetEnd(files: RunTexts, runId: string): void {
  files.remove(runId, snapshotName, endedBeginning);
}

export function createSnapshotKeeper(
  store: Store,
  files: RunTexts,
  check: CheckSnapshot,
  every = milestoneEvery,
): SnapshotKeeper {
  const saved = new Map<string, number>();
  const due = new Map<string, Projection>();
  let timer: NodeJS.Timeout | undefined;

  function write(runId: string, projection: Projection): void {
    due.delete(runId);
    whereWritable(() => {
      if (isLive(projection.run)) forgetEnd(files, runId);
      files.write(runId, snapshotName, writeSnapshot(projection), "quick");
      saved.set(runId, projection.version);
    });
  }

  async function read(runId: string): Promise<Snapshot | null> {
    const snapshot = await readFrom(files, runId, check);
    saved.set(runId, snapshot?.version ?? 0);
    return snapshot;
  }

  async function settle(): Promise<void> {
    for (const [runId, projection] of [...due]) {
      due.delete(runId);
      // Another process that moved on writes a newer snapshot, and a removed run must not reappear.
      if (!(await isLast(store, runId, projection))) continue;
      // Never replace a newer snapshot: it proves that an older journal was rewound.
      const there = await read(runId);
      if (there === null || there.version < projection.version) write(runId, projection);
    }
  }

  return {
    read,
    write,
    mark: (runId, projection) => keepMilestone(files, runId, projection, every),
    see(runId, projection) {
      const last = saved.get(runId) ?? 0;
      const behind = projection.version - last;
      if (last === 0 || behind >= snapshotEvery || (behind !== 0 && !isLive(projection.run))) write(runId, projection);
    },
    renewSoon(runId, projection) {
      if (projection.version === saved.get(runId)) return;
      due.set(runId, projection);
      // One timer for all runs, restarted by every commit. It does not keep the process alive.
      timer = timer?.refresh() ?? setTimeout(settle, momentMs).unref();
    },
    settle,
  };
}

/** Keeps the state after every so many commits. */
export function keepMilestone(files: RunTexts, runId: string, projection: Projection, every: number): void {
  const { run, version } = projection;
  if (run.status === "absent" || version % every !== 0) return;
  whereWritable(() => files.write(runId, milestoneName(run.seq), writeSnapshot(projection), "quick"));
}

/** A snapshot only saves time. The journal may be readable where nothing is writable. */
export function whereWritable(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!isHoldfastError(error, "file-unwritable")) throw error;
  }
}

async function readFrom(files: RunTexts, runId: string, check: CheckSnapshot): Promise<Snapshot | null> {
  try {
    const snapshot = await check(openSnapshot((await files.read(runId, snapshotName)) ?? ""));
    return snapshot?.run.runId === runId ? snapshot : null;
  } catch (error) {
    if (isHoldfastError(error, "file-unreadable")) return null;
    throw error;
  }
}

/** A read error counts as false here; it is reported when the run is next loaded. */
async function isLast(store: Store, runId: string, { version, head }: Projection): Promise<boolean> {
  try {
    return await store.isStillAt(runId, { version, id: head });
  } catch (error) {
    if (isHoldfastError(error)) return false;
    throw error;
  }
}
