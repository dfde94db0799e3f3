import { HoldfastError, isHoldfastError } from "../errors.ts";
import type { RunEvent } from "../model/event.ts";
import type { StartedRun } from "../model/run.ts";
import type { Task } from "../model/task.ts";
import type { RunFiles } from "../store/run-files.ts";
import type { Commit, Store } from "../store/store.ts";
import { nothingYet, type Projection, project, type Ref, readSnapshot, writeSnapshot } from "./projection.ts";

/** A projection of a run that has begun. */
export type Standing = Projection & { readonly run: StartedRun };

/** Runs as they stand now, read with little effort and changed one commit at a time. */
export interface RunJournal {
  /** The run as the journal has it at this moment; null when there is none. */
  load(runId: string): Promise<Standing | null>;
  /** What this process knows already, else like `load`. A decision on it is safe: a stale one cannot be appended. */
  recall(runId: string): Promise<Standing | null>;
  append(runId: string, before: Projection, events: readonly RunEvent[]): Promise<Standing>;
  /** The commit that a reference leads to. */
  find(runId: string, ref: Ref): Promise<Commit | null>;
}

export const snapshotName = "snapshot.json";
/** How many commits may have to be folded again before the snapshot is renewed. */
const snapshotEvery = 256;

export function createRunJournal(store: Store, files: RunFiles): RunJournal {
  const known = new Map<string, Standing>();
  const saved = new Map<string, number>();

  function remember(runId: string, standing: Standing): Standing {
    known.set(runId, standing);
    const ended = "endedAt" in standing.run;
    if (standing.version - (saved.get(runId) ?? 0) < snapshotEvery && !ended) return standing;
    if (saved.get(runId) !== standing.version) save(runId, standing);
    return standing;
  }

  function save(runId: string, standing: Standing): void {
    try {
      files.write(runId, snapshotName, writeSnapshot(standing), "quick");
      saved.set(runId, standing.version);
    } catch (error) {
      // A snapshot only saves time. The journal is the truth, and may be readable where nothing is writable.
      if (!isHoldfastError(error, "file-unwritable")) throw error;
    }
  }

  async function find(runId: string, ref: Ref): Promise<Commit | null> {
    for await (const commit of store.read(runId, ref)) return commit;
    return null;
  }

  async function fromSnapshot(runId: string): Promise<Projection | null> {
    const text = await files.read(runId, snapshotName);
    if (text === null) return null;
    const snapshot = await readSnapshot(text, async (loop, ref) => tasksIn(await find(runId, ref), loop));
    if (snapshot !== null) saved.set(runId, snapshot.version);
    return snapshot;
  }

  return {
    async load(runId) {
      const mine = known.get(runId);
      const current = mine === undefined ? "lost" : await catchUp(store, runId, mine);
      if (current !== "lost") return current === null ? null : remember(runId, current);
      // Nothing known, or the file was replaced since: the snapshot tells whether by an older one.
      known.delete(runId);
      const snapshot = await fromSnapshot(runId);
      const standing = await catchUp(store, runId, snapshot ?? nothingYet);
      if (standing === "lost") {
        const found = (await foldFrom(store, runId, nothingYet)).version;
        throw new HoldfastError("journal-rewound", { run: runId, found, known: snapshot?.version ?? 0 });
      }
      return standing === null ? null : remember(runId, standing);
    },
    async recall(runId) {
      return known.get(runId) ?? this.load(runId);
    },
    async append(runId, before, events) {
      const commit = await store.append(runId, before.version, events);
      const standing = begun(project(before, commit));
      if (standing === null) throw new Error("a run must begin with its start");
      return remember(runId, standing);
    },
    find,
  };
}

/** Folds what came after `start`; "lost" when the commit that `start` ends with is not in the journal any more. */
async function catchUp(store: Store, runId: string, start: Projection): Promise<Standing | null | "lost"> {
  if (start.version === 0) return begun(await foldFrom(store, runId, start));
  let projection: Projection | null = null;
  for await (const commit of store.read(runId, { version: start.version, place: start.place })) {
    if (projection !== null) projection = project(projection, commit);
    else if (commit.id === start.head) projection = start;
    else return "lost";
  }
  return projection === null ? "lost" : begun(projection);
}

async function foldFrom(store: Store, runId: string, start: Projection): Promise<Projection> {
  let projection = start;
  for await (const commit of store.read(runId, { version: start.version + 1 }))
    projection = project(projection, commit);
  return projection;
}

function begun(projection: Projection): Standing | null {
  const { run } = projection;
  return run.status === "absent" ? null : { ...projection, run };
}

function tasksIn(commit: Commit | null, loop: string): readonly Task[] | null {
  const event = commit?.events.findLast((each) => each.type === "tasks-set" && each.loop === loop);
  return event?.type === "tasks-set" ? event.tasks : null;
}
