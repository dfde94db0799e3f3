import { setTimeout } from "node:timers/promises";
import { isHoldfastError } from "../../errors.ts";
import type { Deps } from "../../operation/operation.ts";
import { stopStaleGates } from "../../operation/pending-advances.ts";

/** Looking costs a few system calls, and file systems that report no changes are watched as well as all others. */
const pollMs = 100;

/** Watches the run while its gates are checked, and stops them as soon as their visit has ended in another way. */
export async function watchRun<T>(deps: Deps, runId: string, check: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const watching = watch(deps, runId, over.signal);
  try {
    return await check();
  } finally {
    over.abort();
    await watching;
  }
}

async function watch(deps: Deps, runId: string, over: AbortSignal): Promise<void> {
  for (;;) {
    await setTimeout(pollMs, undefined, { signal: over }).catch(() => {});
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
