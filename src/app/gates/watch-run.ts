import { setTimeout } from "node:timers/promises";
import { isHoldfastError } from "../../errors.ts";
import type { Deps } from "../../operation/operation.ts";
import { stopStaleGates } from "../../operation/pending-advances.ts";

/** Looking at files costs a few system calls, at a database a query. Not every file system reports changes. */
const pollMs = { files: 100, shared: 1_000 };

/** Watches the run while its gates are checked, and stops them as soon as their visit has ended in another way. */
export async function watchRun<T>(deps: Deps, runId: string, check: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const watching = watch(deps, runId, over.signal);
  // Until the check has ended, nobody else would hear of it.
  watching.catch(() => {});
  try {
    return await check();
  } finally {
    over.abort();
    await watching;
  }
}

async function watch(deps: Deps, runId: string, over: AbortSignal): Promise<void> {
  const wait = deps.leases.isShared() ? pollMs.shared : pollMs.files;
  for (;;) {
    await setTimeout(wait, undefined, { signal: over }).catch(() => {});
    if (over.aborted) return;
    await stopIfStale(deps, runId);
  }
}

async function stopIfStale({ journal, pendingAdvances }: Deps, runId: string): Promise<void> {
  try {
    stopStaleGates(pendingAdvances, runId, (await journal.load(runId))?.run ?? null);
  } catch (error) {
    // The advance reports a journal that is still unreadable when the gates have ended.
    if (!isHoldfastError(error)) throw error;
  }
}
