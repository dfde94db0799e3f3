import { HoldfastError, isHoldfastError, isInterruption } from "../errors.ts";
import { noteAway, noteReached, readReach } from "./reach.ts";
import type { SharedStore } from "./store.ts";

/** The way to the shared store, and what is known of it. */
export interface Link {
  /** Changes something. Fails at once only if the server was waited for in vain a moment ago. */
  try<T>(act: () => Promise<T>): Promise<T>;
  /** Asks something. Fails at once if the server could not be used a moment ago: nobody should wait for each question. */
  ask<T>(act: () => Promise<T>): Promise<T>;
  /** Why the server could not be used, if it has not answered since, and when it did. */
  away(): Away | null;
  /** Calls back when nothing is under way: now, or after what is, and after whatever still comes. */
  whenIdle(call: () => void): void;
}

/** The shared store cannot be used, and copies are read instead. */
export interface Away {
  readonly problem: HoldfastError;
  /** When it last answered, as far as that is known. */
  readonly asOf: string | null;
}

/**
 * Whether the shared store can be used neither now nor in a moment, so that copies are read instead. Not after an
 * interruption: then nobody wants to read.
 */
export function isAway(error: unknown): error is HoldfastError {
  return !isInterruption(error) && reasons.some((code) => isHoldfastError(error, code));
}

const reasons = ["store-unreachable", "store-refused", "store-schema", "store-driver-missing"] as const;

export function createLink(state: string, retryAfter: number): Link {
  let failed: { readonly error: HoldfastError; readonly at: number } | null = null;
  const isRecent = () => failed !== null && Date.now() - failed.at < retryAfter;
  let underWay = 0;
  let idle = () => {};

  async function attempt<T>(act: () => Promise<T>, isFailure: typeof isAway): Promise<T> {
    underWay++;
    try {
      const result = await act();
      reached();
      return result;
    } catch (error) {
      if (isFailure(error)) {
        failed = { error: unsent(error), at: Date.now() };
        if (isAway(error)) noteAway(state, new Date().toISOString(), error);
      } else if (!isAway(error)) reached();
      throw error;
    } finally {
      underWay--;
      if (underWay === 0) idle();
    }
  }

  let noted = 0;
  function reached(): void {
    const now = Date.now();
    if (failed === null && now - noted < noteEvery) return;
    [failed, noted] = [null, now];
    noteReached(state, new Date(now).toISOString());
  }

  return {
    async try(act) {
      if (failed !== null && isRecent() && isGivenUp(failed.error)) throw failed.error;
      // Some users may read and not write; for them the store is not away.
      return attempt(act, isUnreachable);
    },
    async ask(act) {
      if (failed !== null && isRecent()) throw failed.error;
      return attempt(act, (error) => isAway(error) || isUnreachable(error));
    },
    away: () => (failed === null ? null : { problem: failed.error, asOf: readReach(state).reached }),
    whenIdle(call) {
      idle = call;
      if (underWay === 0) idle();
    },
  };
}

/** In milliseconds. */
const noteEvery = 60_000;

function isUnreachable(error: unknown): error is HoldfastError<"store-unreachable"> {
  return isHoldfastError(error, "store-unreachable");
}

function isGivenUp(error: HoldfastError): boolean {
  return isUnreachable(error) && error.data.after !== undefined;
}

/** As it is said of whatever was not even sent because of it. */
function unsent(error: HoldfastError): HoldfastError {
  if (!isUnreachable(error) || error.data.committed === "no") return error;
  return new HoldfastError("store-unreachable", { ...error.data, committed: "no" });
}

/** The shared store at the end of its link: whoever has only this cannot wait for the server a second time. */
export function linkStore(shared: SharedStore, link: Link): SharedStore {
  type Act<A extends readonly unknown[], T> = (...given: A) => Promise<T>;
  const asking =
    <A extends readonly unknown[], T>(act: Act<A, T>): Act<A, T> =>
    (...given) =>
      link.ask(() => act(...given));
  const trying =
    <A extends readonly unknown[], T>(act: Act<A, T>): Act<A, T> =>
    (...given) =>
      link.try(() => act(...given));
  const { leases } = shared;
  return {
    project: shared.project,
    where: shared.where,
    leases: { read: trying(leases.read), renew: trying(leases.renew), endAllBut: trying(leases.endAllBut) },
    append: trying(shared.append),
    appendLine: trying(shared.appendLine),
    importLines: trying(shared.importLines),
    replaceRun: trying(shared.replaceRun),
    removeRun: trying(shared.removeRun),
    removals: trying(shared.removals),
    saveProjection: trying(shared.saveProjection),
    read: (run, from) => askEach(link, shared.read(run, from)),
    readLines: (run, from) => askEach(link, shared.readLines(run, from)),
    readLinesAfter: (run, on) => askEach(link, shared.readLinesAfter(run, on)),
    heads: asking(shared.heads),
    findRuns: asking(shared.findRuns),
    isStillAt: asking(shared.isStillAt),
    list: asking(shared.list),
    listRuns: asking(shared.listRuns),
    countRuns: asking(shared.countRuns),
    listOutdated: asking(shared.listOutdated),
    readTemplate: asking(shared.readTemplate),
    follow: asking(shared.follow),
    close: () => shared.close(),
  };
}

async function* askEach<T>(link: Link, all: AsyncIterable<T>): AsyncGenerator<T> {
  const each = all[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await link.ask(() => each.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await each.return?.();
  }
}
