import { setTimeout as pause } from "node:timers/promises";
import { isHoldfastError } from "../../errors.ts";
import { sha256Hex } from "../../platform/files.ts";
import type { Following, Head } from "../store.ts";
import type { Database } from "./database.ts";
import { channel, createListener, type Listener, sendNotice } from "./listen.ts";
import { headOf } from "./projections.ts";
import type { Row, Statement } from "./query.ts";

/** The least time between two notices of one process, in milliseconds. */
const noticeGap = 20;

/**
 * Tells followers that a commit was stored. It is not a part of the commit's transaction: a transaction with a notice holds a
 * lock on the whole server until it is on the disk, so all commits of all projects would wait for one another.
 */
export interface Notifier {
  notify(): void;
  /** Waits for the last notice. */
  settle(): Promise<void>;
}

export function createNotifier(database: Database, project: string): Notifier {
  const payload = noticeOf(project);
  let isDue = false;
  let sending: Promise<void> | null = null;
  let isClosing = false;
  let hurry = () => {};

  async function sendAll(): Promise<void> {
    while (isDue) {
      isDue = false;
      // A follower that misses it finds the commit by its version.
      await database.ask(sendNotice, [channel, payload]).catch(() => {});
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, isClosing ? 0 : noticeGap);
        hurry = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    sending = null;
  }

  return {
    notify() {
      isDue = true;
      sending ??= sendAll();
    },
    async settle() {
      isClosing = true;
      hurry();
      await sending;
    },
  };
}

/** A name of a project may be too long for a notice. */
function noticeOf(project: string): string {
  return sha256Hex(project).slice(0, 32);
}

/** Where the transactions are, and which file an index of the tables is in: after a restore it is another one. */
const now = `
  SELECT pg_snapshot_xmin(pg_current_snapshot()) AS oldest, pg_snapshot_xmax(pg_current_snapshot()) AS next,
         -- Null while a restore is under way: it creates indexes last.
         pg_relation_filenode(to_regclass('holdfast.runs_pkey')) AS file`;

/**
 * The runs with commits of transactions that the last look may not have seen: those from the oldest one on that was open at
 * the time. An id beyond the current ones is from another server that the tables were restored from.
 */
const selectChanged: Statement = {
  name: "holdfast_select_changed",
  text: `
    SELECT now.oldest::text, now.file::text, runs.run, runs.version, runs.head FROM (${now}) AS now
    LEFT JOIN LATERAL (
      SELECT DISTINCT run FROM holdfast.commits
      WHERE project = $1 AND changed >= '0' AND changed >= coalesce($2::xid8, now.oldest) AND changed < now.next
    ) AS news ON true
    LEFT JOIN holdfast.runs ON runs.project = $1 AND runs.run = news.run`,
};

/** Where a backup was restored, every run may have changed. */
const selectAll: Statement = {
  name: "holdfast_select_all",
  text: `
    SELECT now.oldest::text, now.file::text, run, version, head
    FROM (${now}) AS now LEFT JOIN holdfast.runs ON project = $1`,
};

/** How often to look for changes, in milliseconds. */
export interface Pace {
  /** Where the database tells of them: only for what it did not tell. */
  readonly told: number;
  /** Where it does not. */
  readonly untold: number;
}

export type Follow = (changed: (run: string, last: Head) => void) => Promise<Following>;

export interface Followers {
  readonly follow: Follow;
  stop(): Promise<void>;
}

export function createFollowers(database: Database, project: string, pace: Pace): Followers {
  const all = new Set<Following>();
  return {
    async follow(changed) {
      const findChanges = createChangeFinder(database, project);
      await findChanges();
      const news = async () => {
        for (const { run, ...head } of await findChanges()) tell(() => changed(run, head));
      };
      const { by, stop } = await watch(createListener(database, noticeOf(project)), pace, news);
      const following = {
        by,
        async stop() {
          all.delete(following);
          await stop();
        },
      };
      all.add(following);
      return following;
    },
    async stop() {
      await Promise.all([...all].map((following) => following.stop()));
    },
  };
}

/** What a follower throws is its own error: it becomes an uncaught exception, as in any listener of events, and the following goes on. */
function tell(call: () => void): void {
  try {
    call();
  } catch (error) {
    setImmediate(() => {
      throw error;
    });
  }
}

type FindChanges = () => Promise<readonly (Head & { readonly run: string })[]>;

/** Looks for changes since the last look. While the server is away, there are none to tell. */
function createChangeFinder(database: Database, project: string): FindChanges {
  let last: Moment | null = null;
  let told = new Set<string>();
  const look = async (): Promise<readonly Row[]> => {
    const { rows } = await database.ask(selectChanged, [project, last?.oldest ?? null]);
    return last !== null && isElsewhere(last, momentOf(rows)) ? (await database.ask(selectAll, [project])).rows : rows;
  };
  return async () => {
    const rows = await look().catch((error: unknown) => {
      if (last === null || !isHoldfastError(error)) throw error;
      return null;
    });
    if (rows === null) return [];
    last = momentOf(rows);
    const found = rows.filter((row) => row.run !== null).map(headOf);
    const news = found.filter(({ run, id }) => !told.has(`${run} ${id}`));
    told = new Set(found.map(({ run, id }) => `${run} ${id}`));
    return news;
  };
}

interface Moment {
  readonly oldest: string;
  readonly file: string;
}

function momentOf([row]: readonly Row[]): Moment {
  return { oldest: String(row?.oldest), file: String(row?.file) };
}

/** Whether these are other tables than before. Another server may count from further below. */
function isElsewhere(before: Moment, { oldest, file }: Moment): boolean {
  return file !== before.file || BigInt(oldest) < BigInt(before.oldest);
}

async function watch(listener: Listener, pace: Pace, tellNews: () => Promise<void>): Promise<Following> {
  const stopping = new AbortController();
  let isAwake = false;
  let wake = () => {};
  const rouse = () => {
    isAwake = true;
    wake();
  };

  /** False if nobody has called meanwhile. */
  function called(): Promise<boolean> {
    if (isAwake) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), listener.hears() ? pace.told : pace.untold);
      wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  /**
   * A look takes longer the more was committed since the oldest open transaction began, and there may be many notices: nine
   * tenths of the time belong to others.
   */
  async function rest(took: number): Promise<void> {
    const { signal } = stopping;
    if (!signal.aborted) await pause(Math.min(9 * took, pace.untold), undefined, { signal }).catch(() => {});
  }

  async function watching(): Promise<void> {
    try {
      while (!stopping.signal.aborted) {
        isAwake = false;
        const began = performance.now();
        await tellNews();
        await rest(performance.now() - began);
        if (!(await called()) || !listener.hears()) await listener.check();
      }
    } finally {
      await listener.stop();
    }
  }

  listener.onNotice(rouse);
  await listener.check();
  const ended = watching();
  return {
    by: () => (listener.hears() ? "listen" : "poll"),
    async stop() {
      stopping.abort();
      rouse();
      await ended;
    },
  };
}
