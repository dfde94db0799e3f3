import type { RunProjection } from "../store.ts";
import type { Database } from "./database.ts";
import { GivenUp, isUnreachable, storeFailure } from "./failures.ts";
import { projectionValues } from "./projections.ts";
import type { Statement } from "./query.ts";

/** A commit of a run that is there, which brings nothing but its line and the run's row in lists. */
export interface Move {
  readonly run: string;
  readonly version: number;
  readonly id: string;
  readonly prev: string;
  readonly line: Buffer;
  readonly projection: RunProjection;
  /** Sends it in a statement of its own. Whether it was stored. */
  sendAlone(): Promise<boolean>;
}

/** In bytes. Longer lines go alone: nobody else should wait until they have arrived. */
export const longestTogether = 16 * 1024;

const mostTogether = 32;

/** How many of these statements are under way at a time. Two keep the server busy, and leave connections to readers. */
const mostUnderWay = 2;

/**
 * Each commit for itself, as in a statement of its own: if its run is at the expected commit, the run moves on. A run that
 * somebody else has locked is left out, so that no commit waits for the run of another one, and no two of these statements
 * wait for each other.
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

interface Waiting {
  readonly move: Move;
  readonly timer: NodeJS.Timeout;
  settle(isStored: boolean | Promise<boolean>): void;
  fail(error: unknown): void;
}

/**
 * Sends moves, and tells of each whether it was stored. One that comes while none is under way goes alone at once; those that
 * come meanwhile go together. That is only a short cut: what is not stored by it is sent alone, and its own answer counts.
 */
export function createMover(
  database: Database,
  project: string,
  longestWait: number,
): (move: Move) => Promise<boolean> {
  let waiting: Waiting[] = [];
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

  /** Not at once: whoever has just got an answer may have the next move ready. */
  function sendSoon(): void {
    if (isDue || waiting.length === 0) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      for (let free = mostUnderWay - underWay; free > 0 && waiting.length > 0; free--) {
        void track(sendGroup(waiting.splice(0, Math.min(mostTogether, Math.ceil(waiting.length / free)))));
      }
    });
  }

  async function sendGroup(group: readonly Waiting[]): Promise<void> {
    for (const { timer } of group) clearTimeout(timer);
    const moves = group.map(({ move }) => move);
    try {
      const stored = await sendTogether(database, project, moves);
      for (const { move, settle } of group) settle(stored.has(move.id) || move.sendAlone());
    } catch (error) {
      for (const { fail } of group) fail(error);
    }
  }

  return (move) => {
    if (underWay === 0 && waiting.length === 0) return track(move.sendAlone());
    return new Promise((settle, fail) => {
      const giveUp = () => {
        waiting = waiting.filter((each) => each.move !== move);
        fail(storeFailure(database.address, new GivenUp("timeout", longestWait), "no"));
      };
      waiting.push({ move, timer: setTimeout(giveUp, longestWait), settle, fail });
      sendSoon();
    });
  };
}

/** The ids of those that were stored. If the server rejects one of them, it stores none. */
async function sendTogether(
  database: Database,
  project: string,
  moves: readonly Move[],
): Promise<ReadonlySet<unknown>> {
  const rows = moves.map(({ run, version, id, prev, line, projection }) => {
    const [, ...shown] = projectionValues(projection);
    return [run, version, id, prev, line, ...shown];
  });
  const columns = rows[0]?.map((_, column) => rows.map((row) => row[column])) ?? [];
  try {
    const answer = await database.change(moveRuns, [project, ...columns]);
    return new Set(answer.rows.map(({ id }) => id));
  } catch (error) {
    if (isUnreachable(error)) throw error;
    return new Set();
  }
}
