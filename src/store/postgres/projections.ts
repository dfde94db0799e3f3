import type { Head, ListedRun, RunFilter, RunProjection } from "../store.ts";
import type { Database } from "./database.ts";
import type { Row, Statement } from "./query.ts";

/** The values of a row in lists: whether there is one, what lists are chosen and ordered by, and all of it as JSON. */
export function projectionValues(projection: RunProjection | undefined): readonly unknown[] {
  if (projection === undefined) return [false, null, null, null, null, null];
  const { status, step, who, at } = projection;
  return [true, ...[status, step, who, at].map(storable), JSON.stringify(projection)];
}

/** Text in PostgreSQL has no NUL character and no half of a surrogate pair. The exact values are in the JSON. */
export function storable(text: string): string {
  return odd.test(text) ? Buffer.from(text).toString().replaceAll("\0", "\u{fffd}") : text;
}

const odd = /[\0\ud800-\udfff]/;

/**
 * The first runs of each status, as the index has them, and of all of these the first. The index only knows the hours, so all
 * runs of the last hour are read, and sorted by their time.
 */
const firstOfEach = `
  SELECT each.* FROM wanted CROSS JOIN LATERAL (
    SELECT run, version, head, projected, projection, at FROM holdfast.runs
    -- Partly redundant, so that the index finds the beginning.
    WHERE project = $1 AND status = wanted.status AND status >= '' AND hour <= left($3, 13)
      AND (at < $3 OR (at = $3 AND run > $4))
    ORDER BY hour DESC FETCH FIRST $2 ROWS WITH TIES
  ) AS each ORDER BY at DESC, run LIMIT $2`;

/** Jumps from one status to the next; a second index without the status would slow down every append. */
const selectRuns: Statement = {
  name: "holdfast_select_runs",
  text: `
    WITH RECURSIVE wanted AS (
      SELECT min(status) AS status FROM holdfast.runs WHERE project = $1 AND status >= ''
      UNION ALL
      SELECT (SELECT min(status) FROM holdfast.runs WHERE project = $1 AND status > wanted.status AND status >= '')
      FROM wanted WHERE wanted.status IS NOT NULL
    ) ${firstOfEach}`,
};

const selectRunsWithStatus: Statement = {
  name: "holdfast_select_runs_with_status",
  text: `WITH wanted AS (SELECT unnest($5::text[]) AS status) ${firstOfEach}`,
};

/** Sorts behind every text. */
const newest = { at: "\u{10ffff}".repeat(4), run: "" };

export async function listRuns(database: Database, project: string, filter: RunFilter): Promise<readonly ListedRun[]> {
  const { status, limit, after = newest } = filter;
  const values = [project, limit, storable(after.at), after.run];
  const { rows } =
    status === undefined
      ? await database.ask(selectRuns, values)
      : await database.ask(selectRunsWithStatus, [...values, [...new Set(status.map(storable))]]);
  return rows.map(listedRun);
}

function listedRun(row: Row): ListedRun {
  // The projection is written by `projectionValues` only.
  const projection = (row.projection as RunProjection | null) ?? null;
  return { ...headOf(row), projected: Number(row.projected), projection };
}

const selectAlike: Statement = {
  name: "holdfast_select_alike",
  text: `
    SELECT run, version, head, projected, projection FROM holdfast.runs
    WHERE project = $1 AND run >= $2 AND run < $3 ORDER BY run DESC LIMIT $4`,
};

/** Ids are ASCII. */
const behindAll = "\u{10ffff}";

export async function findRuns(
  database: Database,
  project: string,
  beginning: string,
  limit: number,
): Promise<readonly ListedRun[]> {
  const from = storable(beginning);
  return (await database.ask(selectAlike, [project, from, from + behindAll, limit])).rows.map(listedRun);
}

const countAll: Statement = {
  name: "holdfast_count_runs",
  text: "SELECT count(*)::int AS n FROM (SELECT FROM holdfast.runs WHERE project = $1 LIMIT $2) AS counted",
};

const countWithStatus: Statement = {
  name: "holdfast_count_runs_with_status",
  text: `
    SELECT count(*)::int AS n
    FROM (
      SELECT FROM holdfast.runs WHERE project = $1 AND status = ANY ($3::text[]) AND status >= '' LIMIT $2
    ) AS counted`,
};

export async function countRuns(
  database: Database,
  project: string,
  { status, most }: Pick<RunFilter, "status"> & { readonly most: number },
): Promise<number> {
  const { rows } =
    status === undefined
      ? await database.ask(countAll, [project, most])
      : await database.ask(countWithStatus, [project, most, status.map(storable)]);
  return Number(rows[0]?.n ?? 0);
}

const selectOutdated: Statement = {
  name: "holdfast_select_outdated",
  text: `
    SELECT run, version, head FROM holdfast.runs WHERE project = $1 AND outdated AND run > $3 ORDER BY run LIMIT $2`,
};

export async function listOutdated(database: Database, project: string, limit: number, after: string) {
  return (await database.ask(selectOutdated, [project, limit, storable(after)])).rows.map(headOf);
}

const updateProjection: Statement = {
  name: "holdfast_update_projection",
  text: `
    UPDATE holdfast.runs SET projected = version, status = $5, step = $6, who = $7, at = $8, projection = $9::json
    WHERE project = $1 AND run = $2 AND version = $3 AND head = $4`,
};

/** Can be repeated: the same projection of the same commit. */
export async function saveProjection(
  database: Database,
  project: string,
  run: string,
  { version, id }: Head,
  projection: RunProjection,
): Promise<boolean> {
  const [, ...values] = projectionValues(projection);
  return (await database.repeat(updateProjection, [project, run, version, id, ...values])).count > 0;
}

export function headOf({ run, version, head }: Row): Head & { readonly run: string } {
  return { run: String(run), version: Number(version), id: String(head) };
}
