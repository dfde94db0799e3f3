import { HoldfastError } from "../../errors.ts";
import { checkedRunId } from "../../model/run-id.ts";
import { checkedEvents } from "../file-store.ts";
import type { Attached, CopiedCommit, Head, Removal } from "../store.ts";
import { type Appender, idOf, templateValues, untilAnswered } from "./append.ts";
import { binaryArray } from "./binary-array.ts";
import type { Database } from "./database.ts";
import { readRow } from "./journal.ts";
import { headOf, projectionValues } from "./projections.ts";
import type { Query, Statement } from "./query.ts";

// Runs that come with all their lines: from files, from another store, or from a copy.

const selectHeads: Statement = {
  name: "holdfast_select_heads",
  text: "SELECT run, version, head FROM holdfast.runs WHERE project = $1 AND run = ANY ($2::text[])",
};

export async function readHeads(
  database: Database,
  project: string,
  runs: readonly string[],
): Promise<ReadonlyMap<string, Head>> {
  const { rows } = await database.ask(selectHeads, [project, [...runs]]);
  return new Map(rows.map(headOf).map(({ run, ...head }) => [run, head]));
}

/** Whoever brings a run back that was removed means to. */
const insertRun: Statement = {
  name: "holdfast_insert_run",
  text: `
    WITH back AS (DELETE FROM holdfast.removals WHERE project = $1 AND run = $2)
    INSERT INTO holdfast.runs (project, run, version, head, projected, status, step, who, at, projection)
    VALUES ($1, $2, $3::integer, $4, CASE WHEN $5::boolean THEN $3 ELSE 0 END,
            coalesce($6, ''), coalesce($7, ''), coalesce($8, ''), coalesce($9, ''), $10::json)
    ON CONFLICT DO NOTHING`,
};

/** A projection that is not renewed is out of date, even if the run is shorter than before. */
const updateRun: Statement = {
  name: "holdfast_update_run",
  text: `
    UPDATE holdfast.runs SET
      version = $3::integer, head = $4, projected = CASE WHEN $5::boolean THEN $3 ELSE 0 END,
      status = coalesce($6, status), step = coalesce($7, step), who = coalesce($8, who), at = coalesce($9, at),
      projection = coalesce($10::json, projection)
    WHERE project = $1 AND run = $2 AND version = $11 AND head = $12`,
};

const insertLines: Statement = {
  name: "holdfast_insert_lines",
  text: `
    INSERT INTO holdfast.commits (project, run, version, id, line)
    SELECT $1, $2, each.version, each.id, each.line
    FROM unnest($3::integer[], $4::text[], $5::bytea[]) AS each (version, id, line)`,
};

const deleteLines: Statement = {
  name: "holdfast_delete_lines",
  text: "DELETE FROM holdfast.commits WHERE project = $1 AND run = $2",
};

const insertTemplatesOfRun: Statement = {
  name: "holdfast_insert_templates",
  text: `
    INSERT INTO holdfast.templates (project, hash, content)
    SELECT $1, each.hash, each.content FROM unnest($2::text[], $3::bytea[]) AS each (hash, content)
    ON CONFLICT DO NOTHING`,
};

export interface WholeRun {
  readonly run: string;
  /** Where the run must be; null if it must not be there. */
  readonly expected: Head | null;
  /** Whether the lines take the place of all that are there, or come behind them. */
  readonly replaces: boolean;
  readonly commits: readonly CopiedCommit[];
  readonly attached: Attached;
}

/** Stores lines as they are, in one transaction. */
export async function storeLines(appender: Appender, whole: WholeRun): Promise<void> {
  const { run, expected, replaces, commits } = whole;
  checkedRunId(run);
  checkLines(run, replaces ? null : expected, commits);
  const last = commits.at(-1);
  if (last === undefined) return;
  const isStored = await untilAnswered(appender, {
    send: () => appender.database.transaction((query) => sendLines(appender.project, query, whole, last)),
    isStored: async () => (await idOf(appender, run, last.version)) === last.id,
  });
  if (!isStored) throw new HoldfastError("version-conflict", { run, expected: expected?.version ?? 0 });
}

async function sendLines(project: string, query: Query, whole: WholeRun, last: CopiedCommit): Promise<boolean> {
  const { run, expected, replaces, commits, attached } = whole;
  const values = [project, run, last.version, last.id, ...projectionValues(attached.projection)];
  const moved =
    expected === null
      ? await query(insertRun, values)
      : await query(updateRun, [...values, expected.version, expected.id]);
  if (moved.count === 0) return false;
  if (replaces) await query(deleteLines, [project, run]);
  for (const some of inPortions(commits)) {
    const lines = binaryArray(
      "bytea",
      some.map(({ line }) => line),
    );
    await query(insertLines, [project, run, some.map(({ version }) => version), some.map(({ id }) => id), lines]);
  }
  const { templates = [] } = attached;
  if (templates.length > 0) await query(insertTemplatesOfRun, [project, ...templateValues(templates)]);
  return true;
}

/** Nobody may bring lines that reading would find damaged. */
function checkLines(run: string, on: Head | null, commits: readonly CopiedCommit[]): void {
  let last = on ?? { version: 0, id: "" };
  for (const { version, id, line } of commits)
    last = readRow({ readEvents: checkedEvents }, run, { version, id, line }, last);
}

/** In bytes. One statement should not have to wait for more. */
const portion = 4 * 1024 * 1024;

function* inPortions(commits: readonly CopiedCommit[]): Generator<readonly CopiedCommit[]> {
  let some: CopiedCommit[] = [];
  let size = 0;
  for (const commit of commits) {
    if (some.length > 0 && size + commit.line.length > portion) {
      yield some;
      [some, size] = [[], 0];
    }
    some.push(commit);
    size += commit.line.length;
  }
  if (some.length > 0) yield some;
}

/** Writers wait for the lock on the row of the run, and then find that it is gone. */
const deleteRun: Statement = {
  name: "holdfast_delete_run",
  text: `
    WITH removed AS (
      DELETE FROM holdfast.runs WHERE project = $1 AND run = $2 AND version = $3 AND head = $4 RETURNING project, run
    ), lines AS (
      DELETE FROM holdfast.commits USING removed WHERE commits.project = removed.project AND commits.run = removed.run
    ), remembered AS (
      INSERT INTO holdfast.removals (project, run, version, head) SELECT project, run, $3, $4 FROM removed
      ON CONFLICT (project, run) DO UPDATE SET version = excluded.version, head = excluded.head, at = excluded.at
    ), leases AS (
      DELETE FROM holdfast.leases USING removed WHERE leases.project = removed.project AND leases.run = removed.run
    )
    SELECT 1 FROM removed`,
};

/** Templates stay: other runs may use them. */
export async function removeRun(database: Database, project: string, run: string, expected: Head): Promise<boolean> {
  const { count } = await database.repeat(deleteRun, [project, run, expected.version, expected.id]);
  // An answer may have been lost, and the second attempt finds nothing.
  return count > 0 || (await readHeads(database, project, [run])).size === 0;
}

const selectRemovals: Statement = {
  name: "holdfast_select_removals",
  text: "SELECT run, version, head, at FROM holdfast.removals WHERE project = $1 AND run = ANY ($2::text[])",
};

export async function readRemovals(
  database: Database,
  project: string,
  runs: readonly string[],
): Promise<ReadonlyMap<string, Removal>> {
  const { rows } = await database.ask(selectRemovals, [project, [...runs]]);
  return new Map(
    rows.map((row) => {
      const { run, ...head } = headOf(row);
      return [run, { ...head, at: row.at instanceof Date ? row.at.toISOString() : String(row.at) }];
    }),
  );
}
