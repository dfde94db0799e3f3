import { isHoldfastError } from "../errors.ts";
import type { RunFiles } from "../store/run-files.ts";
import type { Store } from "../store/store.ts";
import type { Projection } from "./projection.ts";
import { tasksIn } from "./run-journal.ts";
import {
  type CheckSnapshot,
  fromSnapshot,
  milestoneFolder,
  milestoneName,
  openSnapshot,
  whereWritable,
} from "./snapshot.ts";

/** What the past of a run is read from. */
export interface History {
  readonly store: Store;
  readonly files: RunFiles;
  readonly check: CheckSnapshot;
  /** How many commits there are from one milestone to the next. */
  readonly every?: number;
}

/**
 * The milestones of a run up to an event, latest first. Each was written by a process that stood there; whether it belongs to
 * this journal is for the caller to see. What cannot be used is removed, so that it costs nothing the next time.
 */
export async function* milestonesUpTo(history: History, runId: string, event: number) {
  const { files } = history;
  const numbers = files.names(runId, milestoneFolder).flatMap((name) => {
    const number = /^(\d{1,15})\.json$/.exec(name)?.[1];
    return number === undefined || Number(number) > event ? [] : [Number(number)];
  });
  for (const number of numbers.sort((a, b) => b - a)) {
    const projection = await readMilestone(history, runId, number);
    if (projection === null) forgetMilestone(files, runId, number);
    else yield projection;
  }
}

async function readMilestone({ store, files, check }: History, runId: string, seq: number): Promise<Projection | null> {
  try {
    const snapshot = await check(openSnapshot((await files.read(runId, milestoneName(seq))) ?? ""));
    if (snapshot === null || snapshot.run.runId !== runId || snapshot.run.seq !== seq) return null;
    return await fromSnapshot(snapshot, async (loop, ref) => {
      for await (const commit of store.read(runId, ref)) return tasksIn(commit, loop);
      return null;
    });
  } catch (error) {
    if (isHoldfastError(error, "file-unreadable")) return null;
    throw error;
  }
}

export function forgetMilestone(files: RunFiles, runId: string, seq: number): void {
  whereWritable(() => files.remove(runId, milestoneName(seq)));
}
