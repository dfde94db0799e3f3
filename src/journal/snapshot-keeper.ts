import { isHoldfastError } from "../errors.ts";
import { isLive } from "../model/run-state.ts";
import type { RunTexts } from "../store/run-texts.ts";
import type { Store } from "../store/store.ts";
import type { Projection } from "./projection.ts";
import { type CheckSnapshot, openSnapshot, type Snapshot, writeSnapshot } from "./snapshot.ts";

/** Keeps snapshots close behind their journals without delaying callers. */
export interface SnapshotKeeper {
  /** Null if there is no usable snapshot. */
  read(runId: string): Promise<Snapshot | null>;
  write(runId: string, projection: Projection): void;
  /** Called when a run is loaded. Writes its snapshot at once if it is far behind or if the run has ended. */
  see(runId: string, projection: Projection): void;
  /** Called after a commit of this process. Renews the snapshot shortly after the reply has been sent. */
  renewSoon(runId: string, projection: Projection): void;
  /** Renews all due snapshots now, for a process that is about to exit. */
  settle(): Promise<void>;
}

export const snapshotName = "snapshot.json";
/** The snapshot is renewed after this many commits at the latest; a rewind by fewer could go unnoticed. */
const snapshotEvery = 32;
/** Long enough to send the reply first, short enough to be done before a hook reads the snapshot. */
const momentMs = 20;

export function createSnapshotKeeper(store: Store, files: RunTexts, check: CheckSnapshot): SnapshotKeeper {
  const saved = new Map<string, number>();
  const due = new Map<string, Projection>();
  let timer: NodeJS.Timeout | undefined;

  function write(runId: string, projection: Projection): void {
    due.delete(runId);
    try {
      files.write(runId, snapshotName, writeSnapshot(projection), "quick");
      saved.set(runId, projection.version);
    } catch (error) {
      // A snapshot only saves time. The journal may be readable where nothing is writable.
      if (!isHoldfastError(error, "file-unwritable")) throw error;
    }
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
    see(runId, projection) {
      const behind = projection.version - (saved.get(runId) ?? 0);
      if (behind >= snapshotEvery || (behind !== 0 && !isLive(projection.run))) write(runId, projection);
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
