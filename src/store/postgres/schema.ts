import { HoldfastError } from "../../errors.ts";
import type { Address } from "./address.ts";
import type { Database } from "./database.ts";
import { isRejected, sqlState } from "./failures.ts";
import type { Query, Statement } from "./query.ts";

/** A step from one version of the tables to the next. Steps are only added, never changed. */
interface Migration {
  readonly version: number;
  /** The first version of Holdfast that knows it, for the message of a program that is too old. */
  readonly needs: string;
  readonly statements: readonly string[];
}

const migrations: readonly Migration[] = [
  {
    version: 1,
    needs: "0.2.0",
    statements: [
      // The last commit of each run, which every append moves on, and its row in lists.
      `CREATE TABLE holdfast.runs (
         project text COLLATE "C" NOT NULL,
         run text COLLATE "C" NOT NULL,
         version integer NOT NULL,
         head text COLLATE "C" NOT NULL,
         projected integer NOT NULL DEFAULT 0,
         status text COLLATE "C" NOT NULL DEFAULT '',
         step text COLLATE "C" NOT NULL DEFAULT '',
         who text COLLATE "C" NOT NULL DEFAULT '',
         at text COLLATE "C" NOT NULL DEFAULT '',
         -- Not jsonb, which holds no NUL character and no half of a surrogate pair.
         projection json,
         -- An append changes no column that an index knows, so PostgreSQL writes the row in its page, and no index: lists are
         -- ordered by the hour first, and changes are found by the commits.
         hour text COLLATE "C" NOT NULL GENERATED ALWAYS AS (left(at, 13)) STORED,
         outdated boolean NOT NULL GENERATED ALWAYS AS (projected < version) STORED,
         PRIMARY KEY (project, run)
       ) WITH (fillfactor = 70)`,
      // Conditions that always hold: a statement that does not repeat them is never planned with such an index. While there are
      // few rows, it seems as good as the primary key, and a plan outlives that.
      "CREATE INDEX runs_by_status ON holdfast.runs (project, status, hour DESC) WHERE status >= ''",
      "CREATE INDEX runs_outdated ON holdfast.runs (project, run) WHERE outdated",
      // The journals, one line per commit, as they are in files.
      `CREATE TABLE holdfast.commits (
         project text COLLATE "C" NOT NULL,
         run text COLLATE "C" NOT NULL,
         version integer NOT NULL,
         id text COLLATE "C" NOT NULL,
         line bytea NOT NULL,
         changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
         PRIMARY KEY (project, run, version)
       )`,
      "CREATE INDEX commits_by_change ON holdfast.commits (project, changed) WHERE changed >= '0'",
      `CREATE TABLE holdfast.templates (
         project text COLLATE "C" NOT NULL,
         hash text COLLATE "C" NOT NULL,
         content bytea NOT NULL,
         PRIMARY KEY (project, hash)
       )`,
      // The signs of life of those who hold claims.
      `CREATE TABLE holdfast.leases (
         project text COLLATE "C" NOT NULL,
         run text COLLATE "C" NOT NULL,
         claim integer NOT NULL,
         at text COLLATE "C" NOT NULL,
         runner text COLLATE "C",
         machine text COLLATE "C" NOT NULL,
         PRIMARY KEY (project, run, claim)
       )`,
      // Runs that were removed on purpose. A machine with a copy could not tell that from an old backup.
      `CREATE TABLE holdfast.removals (
         project text COLLATE "C" NOT NULL,
         run text COLLATE "C" NOT NULL,
         version integer NOT NULL,
         head text COLLATE "C" NOT NULL,
         at timestamptz NOT NULL DEFAULT now(),
         PRIMARY KEY (project, run)
       )`,
    ],
  },
];

/** The version of the tables that this program knows. */
export const knownVersion: number = migrations.at(-1)?.version ?? 0;

/** Any number, the same in every program: whoever migrates holds this lock until all is done. */
const lockKey = "4829610537";

const selectVersion: Statement = {
  name: "holdfast_version",
  text: "SELECT version, needs FROM holdfast.migrations ORDER BY version DESC LIMIT 1",
};

/** Throws unless the tables have exactly the version that this program knows. */
export async function checkSchema(query: Query, address: Address): Promise<void> {
  const found = await versionOf(query);
  if (found.version === 0) await refuseUnversioned(query, address);
  if (found.version !== knownVersion) throw misfit(address, found);
}

/** Creates the tables, or brings older ones to the version that this program knows. Returns the version before. */
export function migrate(database: Database): Promise<number> {
  return database.transaction(async (query) => {
    const execute = (text: string) => query({ name: "", text }, []);
    await query({ name: "", text: "SELECT pg_advisory_xact_lock($1)" }, [lockKey]);
    await refuseServer(query, database.address);
    await execute("CREATE SCHEMA IF NOT EXISTS holdfast");
    await execute(
      `CREATE TABLE IF NOT EXISTS holdfast.migrations (
         version integer PRIMARY KEY,
         needs text NOT NULL,
         at timestamptz NOT NULL DEFAULT now()
       )`,
    );
    const before = await versionOf(query);
    if (before.version === 0) await refuseUnversioned(query, database.address);
    if (before.version > knownVersion) throw misfit(database.address, before);
    for (const { version, needs, statements } of migrations.filter((each) => each.version > before.version)) {
      for (const statement of statements) await execute(statement);
      const text = "INSERT INTO holdfast.migrations (version, needs) VALUES ($1, $2)";
      await query({ name: "", text }, [version, needs]);
    }
    await refuseIncomplete(query, database.address);
    return before.version;
  });
}

/** The columns of the tables in this version. */
const columns = {
  runs: [
    "project",
    "run",
    "version",
    "head",
    "projected",
    "status",
    "step",
    "who",
    "at",
    "projection",
    "hour",
    "outdated",
  ],
  commits: ["project", "run", "version", "id", "line", "changed"],
  templates: ["project", "hash", "content"],
  leases: ["project", "run", "claim", "at", "runner", "machine"],
  removals: ["project", "run", "version", "head", "at"],
};

const selectMissing = `
  SELECT wanted.name, to_regclass('holdfast.' || wanted.name) IS NULL AS whole, wanted.part
  FROM unnest($1::text[], $2::text[]) AS wanted (name, part)
  WHERE NOT EXISTS (
    SELECT FROM pg_attribute
    WHERE attrelid = to_regclass('holdfast.' || wanted.name) AND attname = wanted.part AND NOT attisdropped
  ) LIMIT 1`;

/** The version says nothing of what somebody has dropped since. */
async function refuseIncomplete(query: Query, { where }: Address): Promise<void> {
  const wanted = Object.entries(columns).flatMap(([table, names]) => names.map((name) => [table, name] as const));
  const values = [wanted.map(([table]) => table), wanted.map(([, name]) => name)];
  const [row] = (await query({ name: "", text: selectMissing }, values)).rows;
  if (row === undefined) return;
  const missing = row.whole === true ? `the table ${row.name}` : `the column ${row.part} of the table ${row.name}`;
  throw new HoldfastError("store-schema", { where, found: knownVersion, known: knownVersion, missing });
}

/** What somebody has deleted, or a restore of some tables leaves. */
async function refuseUnversioned(query: Query, { where }: Address): Promise<void> {
  const text = "SELECT FROM pg_tables WHERE schemaname = 'holdfast' AND tablename = 'runs'";
  if ((await query({ name: "", text }, [])).count === 0) return;
  const missing = "their version in the table migrations";
  throw new HoldfastError("store-schema", { where, found: 0, known: knownVersion, missing });
}

const oldestServer = 14;

/** A server that is too old, or an encoding in which some texts cannot be stored, would show in the middle of a run. */
async function refuseServer(query: Query, { where }: Address): Promise<void> {
  const text =
    "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding";
  const [row] = (await query({ name: "", text }, [])).rows;
  const version = Math.floor(Number(row?.version) / 10_000);
  const encoding = String(row?.encoding);
  if (version < oldestServer) {
    const problem = `it is PostgreSQL ${version}, and Holdfast needs ${oldestServer} or later`;
    const fix = "name a newer server in the address of your database";
    throw new HoldfastError("store-refused", { where, problem, fix, isAsked: true });
  }
  if (encoding === "UTF8" || encoding === "SQL_ASCII") return;
  const problem = `its encoding is ${encoding}, in which not every text can be stored; create one with the encoding UTF8`;
  throw new HoldfastError("store-refused", { where, problem });
}

interface SchemaVersion {
  readonly version: number;
  readonly needs: string | null;
}

/** Version 0 if there are no tables. */
async function versionOf(query: Query): Promise<SchemaVersion> {
  try {
    const [row] = (await query(selectVersion, [])).rows;
    return { version: Number(row?.version ?? 0), needs: typeof row?.needs === "string" ? row.needs : null };
  } catch (error) {
    // No such schema, no such table.
    if (isRejected(error) && ["3F000", "42P01"].includes(sqlState(error) ?? "")) {
      return { version: 0, needs: null };
    }
    throw error;
  }
}

function misfit({ where }: Address, { version, needs }: SchemaVersion): HoldfastError {
  const isVersion = needs !== null && /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(needs);
  return new HoldfastError("store-schema", { where, found: version, known: knownVersion, ...(isVersion && { needs }) });
}
