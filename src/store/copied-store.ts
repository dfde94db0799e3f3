import { dirname } from "node:path";
import { isHoldfastError } from "../errors.ts";
import { isRunId } from "../model/run-id.ts";
import { type CopiesOptions, createCopies } from "./copies.ts";
import { createFileStore } from "./file-store.ts";
import { type Away, createLink, isAway, linkStore } from "./link.ts";
import type { Commit, ReadFrom, SharedStore, Store } from "./store.ts";

export interface CopiedStoreOptions extends CopiesOptions {
  /** How long a server that could not be reached is not asked again, in milliseconds. */
  readonly retryAfter?: number;
}

/** A shared store with local copies of the runs that this machine works with. */
export interface CopiedStore extends Store {
  readonly shared: SharedStore;
  /** Why the server could not be used, if it has not answered since. */
  away(): Away | null;
  /** Closes it as soon as nothing is under way. Whoever still has it can go on, and then it is closed again. */
  retire(): void;
  /**
   * Brings the copies of these runs up to date, with one question for all of them, and returns those that are. Whatever fails
   * shows when one is read.
   */
  refresh(runs: readonly string[]): Promise<ReadonlySet<string>>;
  /** From now on this clone works on the run, also if it has changed nothing yet. */
  workOn(run: string): void;
}

/**
 * The shared store decides what is appended. Each machine keeps the lines of the runs that it works with in files, where all
 * else finds them. Without the server, runs are read from these copies, and nothing can be appended.
 */
export function createCopiedStore(server: SharedStore, options: CopiedStoreOptions): CopiedStore {
  const local = createFileStore(options.root);
  const link = createLink(dirname(options.root), options.retryAfter ?? 5_000);
  const shared = linkStore(server, link);
  const copies = createCopies(shared, options);

  /** False if the server cannot be used, and there is a copy to read from. */
  async function isCaughtUp(run: string): Promise<boolean> {
    try {
      await copies.catchUp(run);
      return true;
    } catch (error) {
      if (!isAway(error) || !copies.hasCopy(run)) throw error;
      return false;
    }
  }

  async function close(): Promise<void> {
    copies.close();
    await local.close();
    await server.close();
  }

  return {
    shared,
    away: link.away,
    retire: () => link.whenIdle(() => void close()),
    async append(run, expected, events, on, attached = {}) {
      await copies.prepare(run, expected);
      const templates = [...(attached.templates ?? []), ...copies.templatesOf(run, events)];
      const stored = await shared.appendLine(run, expected, events, on, { ...attached, templates });
      const { line: _line, ...commit } = stored;
      return { ...commit, place: await copies.keep(run, stored) };
    },
    async *read(run, from = { version: 1 }) {
      // What is known to be shared is read without a question; most readers want no more.
      const isEager = from.version > copies.sharedUpTo(run);
      if (isEager) await isCaughtUp(run);
      let last: Commit | null = null;
      for await (const commit of readCopy(run, from)) {
        last = commit;
        yield commit;
      }
      if (isEager || !(await isCaughtUp(run)) || copies.sharedUpTo(run) === last?.version) return;
      yield* behind(readCopy(run, last ?? from), last);
    },
    async isStillAt(run, last) {
      try {
        return await shared.isStillAt(run, last);
      } catch (error) {
        if (isAway(error)) return false;
        throw error;
      }
    },
    list: () => listBoth(local, shared),
    async refresh(runs) {
      try {
        // Whoever can write to the database could make up any other name.
        return await copies.refresh(runs.filter(isRunId));
      } catch (error) {
        if (!isHoldfastError(error)) throw error;
        return new Set();
      }
    },
    workOn: copies.workOn,
    close,
  };

  /** A damaged copy is fetched again. */
  async function* readCopy(run: string, from: ReadFrom) {
    let next = from;
    try {
      for await (const commit of local.read(run, next)) {
        next = { version: commit.version + 1 };
        yield commit;
      }
    } catch (error) {
      if (!isHoldfastError(error, "journal-corrupt")) throw error;
      const isHealed = await copies.heal(run).catch(() => false);
      if (!isHealed) throw error;
      yield* local.read(run, next);
    }
  }
}

async function listBoth(local: Store, shared: SharedStore): Promise<readonly string[]> {
  const here = await local.list();
  try {
    return [...new Set([...here, ...(await shared.list())])].sort();
  } catch (error) {
    if (isAway(error)) return here;
    throw error;
  }
}

/** What was fetched behind the last commit that was read; nothing if the whole history was replaced meanwhile. */
async function* behind(commits: AsyncIterable<Commit>, last: Commit | null): AsyncGenerator<Commit> {
  for await (const commit of commits) {
    if (commit.version > (last?.version ?? 0)) yield commit;
    else if (commit.id !== last?.id) return;
  }
}
