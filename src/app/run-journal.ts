import { HoldfastError, isHoldfastError } from "../errors.ts";
import type { RunEvent } from "../model/event.ts";
import type { Run, StartedRun } from "../model/run.ts";
import type { Task } from "../model/task.ts";
import type { RunFiles } from "../store/run-files.ts";
import type { Commit, Store } from "../store/store.ts";
import {
  fromSnapshot,
  locate,
  nothingYet,
  type Projection,
  project,
  type Ref,
  readSnapshot,
  type Snapshot,
  writeSnapshot,
} from "./projection.ts";

/** A projection of a run that has begun. */
export type Standing = Projection & { readonly run: StartedRun };

/** Runs as they stand now, read with little effort and changed one commit at a time. */
export interface RunJournal {
  /** The run as the journal has it at this moment; null when there is none. */
  load(runId: string): Promise<Standing | null>;
  /** Appends what was decided on `before`. `after` is the run that the events lead to, where it is known already. */
  append(runId: string, before: Projection, events: readonly RunEvent[], after?: Run): Promise<Standing>;
  /** The commit that a reference leads to. */
  find(runId: string, ref: Ref): Promise<Commit | null>;
}

export const snapshotName = "snapshot.json";
/** How many commits may come before the snapshot is renewed; as many could be taken away unnoticed. */
const snapshotEvery = 32;
/** Up to here a journal is read and checked as a whole by every new process; its snapshot only bears witness. */
const shortJournal = 256;

export function createRunJournal(store: Store, files: RunFiles): RunJournal {
  const known = new Map<string, Standing>();
  const saved = new Map<string, number>();
  const appended = new Set<string>();

  function remember(runId: string, standing: Standing): Standing {
    known.set(runId, standing);
    const behind = standing.version - (saved.get(runId) ?? 0);
    if (behind >= snapshotEvery || (behind !== 0 && "endedAt" in standing.run)) save(runId, standing);
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

  async function readJournal(runId: string): Promise<Standing | null> {
    const snapshot = await snapshotOf(files, runId);
    const short = snapshot === null || snapshot.version < shortJournal;
    const start = short
      ? null
      : await fromSnapshot(snapshot, async (loop, ref) => tasksIn(await find(runId, ref), loop));
    const projection = await catchUp(store, runId, start ?? nothingYet, snapshot ?? nothingYet);
    if (projection !== "lost") {
      saved.set(runId, snapshot?.version ?? 0);
      return begun(projection);
    }
    const whole = await foldAll(store, runId);
    refuseRewound(runId, whole, snapshot);
    saved.delete(runId);
    return begun(whole);
  }

  return {
    async load(runId) {
      const mine = known.get(runId);
      const current = mine === undefined ? "lost" : await catchUp(store, runId, mine, mine);
      const standing = current === "lost" ? await readJournal(runId) : begun(current);
      if (standing === null) {
        known.delete(runId);
        return null;
      }
      if (current === "lost") refuseRewound(runId, standing, mine ?? null);
      return remember(runId, standing);
    },
    async append(runId, before, events, after) {
      const commit = await store.append(runId, before.version, events);
      const standing = begun(after === undefined ? project(before, commit) : { ...locate(before, commit), run: after });
      if (standing === null) throw new Error("a run must begin with its start");
      // Most processes live for one commit only. Each leaves a witness of how far the run has come.
      if (!appended.has(runId)) save(runId, standing);
      appended.add(runId);
      return remember(runId, standing);
    },
    find,
  };
}

async function snapshotOf(files: RunFiles, runId: string): Promise<Snapshot | null> {
  try {
    const snapshot = readSnapshot((await files.read(runId, snapshotName)) ?? "");
    return snapshot?.run.runId === runId ? snapshot : null;
  } catch (error) {
    if (isHoldfastError(error, "file-unreadable")) return null;
    throw error;
  }
}

/** Folds what came after `start`; "lost" when the commit that the witness ends with is not in the journal any more. */
async function catchUp(
  store: Store,
  runId: string,
  start: Projection,
  witness: Pick<Projection, "version" | "head">,
): Promise<Projection | "lost"> {
  let projection = start;
  let seen = witness.version === 0;
  const from = start.version === 0 ? undefined : { version: start.version, place: start.place };
  for await (const commit of store.read(runId, from)) {
    if (commit.version === witness.version && commit.id !== witness.head) return "lost";
    seen ||= commit.version === witness.version;
    if (commit.version > start.version) projection = project(projection, commit);
  }
  return seen ? projection : "lost";
}

async function foldAll(store: Store, runId: string): Promise<Projection> {
  let projection = nothingYet;
  for await (const commit of store.read(runId)) projection = project(projection, commit);
  return projection;
}

/** Someone has put another file in the place of the one that was known. Only a repair may do that. */
function refuseRewound(runId: string, found: Projection, witness: Pick<Projection, "version" | "repair"> | null): void {
  if (witness === null || found.repair !== witness.repair) return;
  throw new HoldfastError("journal-rewound", { run: runId, found: found.version, known: witness.version });
}

function begun(projection: Projection): Standing | null {
  const { run } = projection;
  return run.status === "absent" ? null : { ...projection, run };
}

function tasksIn(commit: Commit | null, loop: string): readonly Task[] | null {
  const event = commit?.events.findLast((each) => each.type === "tasks-set" && each.loop === loop);
  return event?.type === "tasks-set" ? event.tasks : null;
}
