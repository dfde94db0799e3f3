import { evolve } from "../engine/evolve/evolve.ts";
import { HoldfastError } from "../errors.ts";
import type { RunEvent } from "../model/event.ts";
import type { LiveRun, Run, StartedRun } from "../model/run.ts";
import { isLive } from "../model/run-state.ts";
import type { Task } from "../model/task.ts";
import type { RunTexts } from "../store/run-files.ts";
import type { Attached, Commit, Store } from "../store/store.ts";
import { emptyProjection, type Projection, project, projectTo, type Ref } from "./projection.ts";
import { type CheckSnapshot, createSnapshotKeeper, forgetEnd, fromSnapshot } from "./snapshot.ts";

/** A projection of a run that has started. */
export type Standing = Projection & { readonly run: StartedRun };

export type LiveStanding = Standing & { readonly run: LiveRun };

export function isLiveStanding(standing: Standing): standing is LiveStanding {
  return isLive(standing.run);
}

/** Loads the current state of runs cheaply, and changes them one commit at a time. */
export interface RunJournal {
  /** The current state of the run; null if there is no such run. */
  load(runId: string): Promise<Standing | null>;
  /** The run as this process has last loaded or changed it, without looking again; null if it has not. */
  known(runId: string): Standing | null;
  /** Appends events that were decided on `before`. `after` is the resulting run, if it is known already. */
  append(runId: string, before: Projection, events: readonly RunEvent[], after?: Run): Promise<Standing>;
  /** The commit at a position. */
  find(runId: string, ref: Ref): Promise<Commit | null>;
  /** The commits from a position on. */
  read(runId: string, from: Ref): AsyncIterable<Commit>;
  /**
   * Whether the run had ended when this process last loaded it; null if it has not loaded it. Only a repair or a person who
   * reopens it changes an ended run.
   */
  hadEnded(runId: string): boolean | null;
  /** Brings the snapshots up to date. Called before a process exits; a long-lived process does not need it. */
  settle(): Promise<void>;
}

/** How far snapshots are trusted. */
export interface SnapshotPolicy {
  readonly check: CheckSnapshot;
  /** A journal with fewer commits is read in full by every new process; its snapshot only serves to detect a rewind. */
  readonly shortJournal: number;
  /** How many commits there are from one milestone to the next. */
  readonly milestoneEvery?: number;
}

/** Where a commit goes, and what a shared store keeps with it, computed from the run after it. */
export interface AppendTarget {
  readonly store: Pick<Store, "append">;
  attach?(after: StartedRun): Attached;
}

export type FindTarget = () => AppendTarget | Promise<AppendTarget>;

export function createJournal(
  store: Store,
  files: RunTexts,
  policy: SnapshotPolicy,
  findTarget: FindTarget = () => ({ store }),
): RunJournal {
  const { check, shortJournal, milestoneEvery } = policy;
  const known = new Map<string, Standing>();
  const snapshots = createSnapshotKeeper(store, files, check, milestoneEvery);
  const appended = new Set<string>();

  function remember(runId: string, standing: Standing): Standing {
    known.set(runId, standing);
    snapshots.see(runId, standing);
    return standing;
  }

  async function find(runId: string, ref: Ref): Promise<Commit | null> {
    for await (const commit of store.read(runId, ref)) return commit;
    return null;
  }

  async function readJournal(runId: string): Promise<Standing | null> {
    const snapshot = await snapshots.read(runId);
    const short = snapshot === null || snapshot.version < shortJournal;
    const start = short
      ? null
      : await fromSnapshot(snapshot, async (loop, ref) => tasksIn(await find(runId, ref), loop));
    const projection = await catchUp(store, runId, start ?? emptyProjection, snapshot ?? emptyProjection);
    if (projection !== "lost") return begun(projection);
    const whole = begun(await foldAll(store, runId));
    refuseRewound(runId, whole ?? emptyProjection, snapshot);
    // The snapshot describes a history that no longer exists, and hooks would trust it.
    if (whole !== null) snapshots.write(runId, whole);
    return whole;
  }

  return {
    read: (runId, from) => store.read(runId, from),
    async load(runId) {
      const mine = known.get(runId);
      if (mine !== undefined && (await store.isStillAt(runId, { version: mine.version, id: mine.head }))) return mine;
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
      const on = before.version === 0 ? undefined : { id: before.head, place: before.place };
      if (on !== undefined && !isLive(before.run)) forgetEnd(files, runId);
      const run = after ?? events.reduce<Run>(evolve, before.run);
      const target = await findTarget();
      const attached = run.status === "absent" ? undefined : target.attach?.(run);
      const commit = await target.store.append(runId, before.version, events, on, attached);
      const standing = begun(projectTo(before, commit, run));
      if (standing === null) throw new Error("a run must begin with its start");
      // Most processes make only one commit. Each leaves a snapshot that proves how far the run has come.
      if (!appended.has(runId)) snapshots.write(runId, standing);
      appended.add(runId);
      snapshots.mark(runId, standing);
      remember(runId, standing);
      snapshots.renewSoon(runId, standing);
      return standing;
    },
    find,
    known: (runId) => known.get(runId) ?? null,
    hadEnded(runId) {
      const mine = known.get(runId);
      return mine === undefined ? null : !isLive(mine.run);
    },
    settle: snapshots.settle,
  };
}

/** Folds the commits after `start`. Returns "lost" if the witness's last commit is no longer in the journal. */
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
  let projection = emptyProjection;
  for await (const commit of store.read(runId)) projection = project(projection, commit);
  return projection;
}

/** Throws if the journal was replaced by an older one. Only a repair may do that. */
function refuseRewound(runId: string, found: Projection, witness: Pick<Projection, "version" | "repair"> | null): void {
  if (witness === null || found.repair !== witness.repair) return;
  throw new HoldfastError("journal-rewound", { run: runId, found: found.version, known: witness.version });
}

export function begun(projection: Projection): Standing | null {
  return isBegun(projection) ? projection : null;
}

function isBegun(projection: Projection): projection is Standing {
  return projection.run.status !== "absent";
}

export function tasksIn(commit: Commit | null, loop: string): readonly Task[] | null {
  const event = commit?.events.findLast((each) => each.type === "tasks-set" && each.loop === loop);
  return event?.type === "tasks-set" ? event.tasks : null;
}
