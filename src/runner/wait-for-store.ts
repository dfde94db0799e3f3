import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type HoldfastError, isHoldfastError } from "../errors.ts";
import type { RunJournal } from "../journal/run-journal.ts";
import type { RunEvent } from "../model/event.ts";
import type { Deps } from "../operation/operation.ts";

export interface Waiting {
  /** The longest, in milliseconds. Nobody waits before there is something to lose. */
  readonly patience: { ms: number };
  readonly signal: AbortSignal;
  say(text: string): void;
}

type Unreachable = HoldfastError<"store-unreachable">;

/** In milliseconds, from one try to the next. */
const [firstPause, longestPause] = [1_000, 10_000];

/** What a runner has to record waits for a database that is away: an agent's work should not be done again for that. */
export function waitForStore(deps: Deps, { patience, signal, say }: Waiting): Deps {
  let isAway = false;

  function note(error: Unreachable | null): void {
    const wasAway = isAway;
    isAway = error !== null;
    if (error !== null && !wasAway) say(`waiting for the database at ${error.data.where}: ${error.data.problem}`);
    if (error === null && wasAway) say("the database answers again");
  }

  /** Tries until the store answers. `failed` is told of every attempt that it has not answered. */
  async function patiently<T>(act: () => Promise<T>, failed: (error: Unreachable) => void): Promise<T> {
    const until = Date.now() + patience.ms;
    for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
      const answer = await answerOf(act);
      if ("value" in answer) {
        note(null);
        return answer.value;
      }
      failed(answer.error);
      if (signal.aborted || Date.now() >= until) throw answer.error;
      note(answer.error);
      await setTimeout(pause, undefined, { signal }).catch(() => {});
    }
  }

  const append: RunJournal["append"] = async (runId, before, events, after) => {
    let isUnknown = false;
    try {
      return await patiently(
        () => deps.journal.append(runId, before, events, after),
        ({ data }) => {
          isUnknown ||= data.committed === "unknown";
        },
      );
    } catch (error) {
      // An attempt without an answer may have been stored all the same.
      const isTaken = isUnknown && isHoldfastError(error, "version-conflict");
      if (!isTaken || !(await isStored(deps, runId, before.version + 1, events))) throw error;
      const standing = await deps.journal.load(runId);
      if (standing === null) throw error;
      return standing;
    }
  };

  return {
    ...deps,
    journal: { ...deps.journal, append },
    leases: {
      ...deps.leases,
      read: (run, claims) =>
        patiently(
          () => deps.leases.read(run, claims),
          () => {},
        ),
    },
  };
}

async function answerOf<T>(act: () => Promise<T>): Promise<{ readonly value: T } | { readonly error: Unreachable }> {
  try {
    return { value: await act() };
  } catch (error) {
    if (isHoldfastError(error, "store-unreachable")) return { error };
    throw error;
  }
}

async function isStored(
  { store }: Deps,
  runId: string,
  version: number,
  events: readonly RunEvent[],
): Promise<boolean> {
  for await (const commit of store.read(runId, { version })) {
    return isDeepStrictEqual(commit.events, JSON.parse(JSON.stringify(events)));
  }
  return false;
}
