import { isHoldfastError } from "../errors.ts";
import { isLive } from "../model/run-state.ts";
import type { RunTexts } from "../store/run-texts.ts";
import type { Store } from "../store/store.ts";
import type { Projection } from "./projection.ts";
import { type CheckSnapshot, openSnapshot, type Snapshot, writeSnapshot } from "./snapshot.ts";

/** Keeps the snapshots of runs close behind their journals, and lets nobody wait for it. */
export interface SnapshotKeeper {
  /** The snapshot that is there; null when there is none that can be used. */
  read(runId: string): Promise<Snapshot | null>;
  write(runId: string, projection: Projection): void;
  /** The run was seen to stand here. What is far behind, or will never be written again, is written at once. */
  see(runId: string, projection: Projection): void;
  /** The run was brought here by this process, which is answering: its snapshot is renewed a moment later. */
  renewSoon(runId: string, projection: Projection): void;
  /** Renews now what is to be renewed soon, for a process that ends. */
  settle(): Promise<void>;
}

export const snapshotName = "snapshot.json";
/** How many commits may come before the snapshot is renewed; as many could be taken away unnoticed. */
const snapshotEvery = 32;
/** After the answer, and before whoever got it is likely to do something that reads the snapshot. */
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
      // A snapshot only saves time. The journal is the truth, and may be readable where nothing is writable.
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
      // Whoever has gone on since leaves a newer one, and a run that was removed shall not come back.
      if (!(await isLast(store, runId, projection))) continue;
      // A newer one bears witness against an older journal, even one that ends just where we stood.
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
      // One timer for all, put off by every commit. It keeps no process alive.
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

/** What cannot be read now will be told to whoever asks for the run. */
async function isLast(store: Store, runId: string, { version, head }: Projection): Promise<boolean> {
  try {
    return await store.isStillAt(runId, { version, id: head });
  } catch (error) {
    if (isHoldfastError(error)) return false;
    throw error;
  }
}
