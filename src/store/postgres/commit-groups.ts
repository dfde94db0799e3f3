import { HoldfastError } from "../../errors.ts";
import { binaryArray } from "./binary-array.ts";
import type { Database } from "./database.ts";
import { isUnreachable } from "./failures.ts";
import type { Statement } from "./query.ts";

/** A commit that continues a run, and brings only its line and the run's row in lists: no templates, no jobs. */
export interface GroupedCommit {
  readonly id: string;
  /** The parameters of `moveRuns` from `$2` on. */
  readonly values: readonly unknown[];
  /** Roughly how many bytes its texts have. */
  readonly size: number;
  /** Sends it in a statement of its own. Whether it was stored. */
  sendAlone(): Promise<boolean>;
}

/** The largest commit that may join a group. The others would wait while a larger one is transferred. */
export const longestInGroup = 16 * 1024;

const largestGroup = { commits: 32, size: 64 * 1024 };

/**
 * The most groups under way at a time; two keep the server busy. A commit that is sent at once counts as one. Those that a
 * group did not store do not count, because they may wait for a lock.
 */
const mostUnderWay = 2;

/** In milliseconds, until a commit goes alone. Those under way may be on connections that are broken. */
const longestWait = 1_000;

/**
 * Each commit for itself, as in a statement of its own: if its run is at the expected commit, the run moves on. A run whose row
 * somebody else has locked is left out, so that the other commits need not wait for it, and no two of these statements wait for
 * each other.
 */
const moveRuns: Statement = {
  name: "holdfast_move_runs",
  text: `
    WITH found AS (
      SELECT given.*, here.place
      FROM unnest(
        $2::text[], $3::integer[], $4::text[], $5::text[], $6::bytea[],
        $7::text[], $8::text[], $9::text[], $10::text[], $11::text[]
      ) AS given (run, version, id, prev, line, status, step, who, at, projection)
      CROSS JOIN LATERAL (
        SELECT ctid AS place FROM holdfast.runs
        WHERE project = $1 AND run = given.run AND version = given.version - 1 AND head = given.prev
        FOR NO KEY UPDATE SKIP LOCKED
      ) AS here
      -- Always true. It lets the planner expect few rows, and look for each of them rather than read the whole table.
      WHERE given.version > 1 AND given.prev > ''
    ), moved AS (
      UPDATE holdfast.runs AS run SET
        version = found.version, head = found.id, projected = found.version,
        status = found.status, step = found.step, who = found.who, at = found.at, projection = found.projection::json
      FROM found WHERE run.ctid = found.place
      RETURNING found.run, found.version, found.id, found.line
    )
    INSERT INTO holdfast.commits (project, run, version, id, line)
    SELECT $1, run, version, id, line FROM moved RETURNING id`,
};

const columnTypes = ["text", "integer", "text", "text", "bytea", "text", "text", "text", "text", "text"] as const;

interface Waiting {
  readonly commit: GroupedCommit;
  readonly timer: NodeJS.Timeout;
  resolve(isStored: boolean | Promise<boolean>): void;
  reject(error: unknown): void;
}

/**
 * Sends commits, and tells of each whether it was stored. One that comes while none is under way goes alone at once; those that
 * come meanwhile go together. That is only a shortcut: what is not stored by it is sent alone, and its own answer counts.
 */
export function createCommitGroups(database: Database, project: string): (commit: GroupedCommit) => Promise<boolean> {
  const waiting = new Set<Waiting>();
  let underWay = 0;
  let isDue = false;

  async function track<T>(sending: Promise<T>): Promise<T> {
    underWay += 1;
    try {
      return await sending;
    } finally {
      underWay -= 1;
      sendSoon();
    }
  }

  /** Not at once: whoever has just got an answer may have the next commit ready. */
  function sendSoon(): void {
    if (isDue || waiting.size === 0) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      // Those that wait are shared out among the statements that may be sent now.
      for (let free = mostUnderWay - underWay; free > 0 && waiting.size > 0; free--) {
        const group = firstOf(waiting, Math.ceil(waiting.size / free));
        for (const each of group) waiting.delete(each);
        void track(sendGroup(group));
      }
    });
  }

  async function sendGroup(group: readonly Waiting[]): Promise<void> {
    for (const { timer } of group) clearTimeout(timer);
    const commits = group.map(({ commit }) => commit);
    try {
      const stored = await storeTogether(database, project, commits);
      for (const { commit, resolve } of group) resolve(stored.has(commit.id) || commit.sendAlone());
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  return (commit) => {
    if (underWay === 0 && waiting.size === 0) return track(commit.sendAlone());
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(one);
        resolve(commit.sendAlone());
      };
      const one: Waiting = { commit, timer: setTimeout(leave, longestWait), resolve, reject };
      waiting.add(one);
      sendSoon();
    });
  };
}

/** As many as may go together: at least one, because each of them is short. */
function firstOf(waiting: Iterable<Waiting>, share: number): readonly Waiting[] {
  const group: Waiting[] = [];
  let size = 0;
  for (const one of waiting) {
    size += one.commit.size;
    if (group.length === Math.min(share, largestGroup.commits) || size > largestGroup.size) break;
    group.push(one);
  }
  return group;
}

/** The ids of those that were stored. If the server rejects one of them, it stores none. */
async function storeTogether(
  database: Database,
  project: string,
  commits: readonly GroupedCommit[],
): Promise<ReadonlySet<unknown>> {
  const columns = columnTypes.map((type, column) =>
    binaryArray(
      type,
      commits.map(({ values }) => values[column]),
    ),
  );
  try {
    const answer = await database.change(moveRuns, [project, ...columns]);
    return new Set(answer.rows.map(({ id }) => id));
  } catch (error) {
    if (!(error instanceof HoldfastError) || isLost(error)) throw error;
    return new Set();
  }
}

/** Whether the commits may have been stored, or the server was waited for in vain. Any other failure may concern only one of them. */
function isLost(error: unknown): boolean {
  return isUnreachable(error) && (error.data.committed === "unknown" || error.data.after !== undefined);
}
