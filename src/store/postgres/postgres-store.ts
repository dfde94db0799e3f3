import { HoldfastError } from "../../errors.ts";
import { isProjectName, projectNameRule } from "../../model/written/project-name.ts";
import { checkedEvents } from "../file-store.ts";
import { createWriterNames } from "../journal-store.ts";
import type { SharedStore } from "../store.ts";
import { readAddress } from "./address.ts";
import { type Appender, append } from "./append.ts";
import { createCommitGroups } from "./commit-groups.ts";
import { createDatabase, type Database } from "./database.ts";
import { createFollowers, createNotifier } from "./follow.ts";
import { readCommits, readCommitsAfter } from "./journal.ts";
import { createPostgresLeases } from "./leases.ts";
import { countRuns, findRuns, listOutdated, listRuns, saveProjection } from "./projections.ts";
import type { Query, Statement, Waits } from "./query.ts";
import { checkSchema, knownVersion, migrate } from "./schema.ts";
import { readHeads, readRemovals, removeRun, storeLines, type WholeRun } from "./whole-runs.ts";

export interface PostgresOptions {
  /** Such as postgres://user:password@host:5432/database, with any setting that node-postgres knows. */
  readonly url: string;
  /** Which of the projects in the database the runs belong to. */
  readonly project: string;
  /** The most connections at a time, apart from one for each `follow`. */
  readonly connections?: number;
  /** How long is waited for a connection and for an answer, in milliseconds. */
  readonly waits?: Partial<Waits>;
  /** How long a commit that got no answer is sent again, in milliseconds, until it is known what became of it. */
  readonly patience?: number;
  /** Aborted when the caller gives up: then no answer is waited for any more. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How often followers look for changes that the database did not tell them of, in milliseconds. Where it tells them
   * nothing, they look every second.
   */
  readonly followEvery?: number;
  /** Sends the jobs of a commit in its transaction, with a function that executes a statement there. */
  sendJobs?(execute: Execute, jobs: readonly unknown[]): Promise<void>;
}

export type Execute = (
  text: string,
  values: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** A store in PostgreSQL, 14 or later. It connects when it is first used. */
export function createPostgresStore(options: PostgresOptions): SharedStore {
  const project = checkedProject(options);
  const every = options.followEvery ?? 10_000;
  const database = open(options, checkSchema);
  const notifier = createNotifier(database, project);
  const followers = createFollowers(database, project, { told: every, untold: Math.min(every, pollEvery) });
  const appender: Appender = {
    database,
    project,
    patience: options.patience ?? 30_000,
    newWriter: createWriterNames(),
    storeInGroup: createCommitGroups(database, project),
    sendJobs: (query, jobs) => sendJobs(options, query, jobs),
  };
  const journal = { database, project, readEvents: checkedEvents };
  const readLines = (run: string, from = 1) => readCommits(journal, run, from);
  const appendLine: SharedStore["appendLine"] = async (run, expected, events, on, attached = {}) => {
    const commit = await append(appender, run, expected, events, { on, attached });
    notifier.notify();
    return commit;
  };
  const storeWhole = async (whole: WholeRun) => {
    await storeLines(appender, whole);
    notifier.notify();
  };
  return {
    project,
    where: database.address.where,
    leases: createPostgresLeases(database, project),
    appendLine,
    async append(...what) {
      const { line: _line, ...commit } = await appendLine(...what);
      return commit;
    },
    readLines,
    readLinesAfter: (run, on) => readCommitsAfter(journal, run, on),
    async *read(run, from) {
      for await (const { line: _line, ...commit } of readLines(run, from?.version)) yield commit;
    },
    heads: (runs) => readHeads(database, project, runs),
    importLines: (run, on, commits, attached = {}) =>
      storeWhole({ run, expected: on, replaces: false, commits, attached }),
    replaceRun: (run, expected, commits, attached = {}) =>
      storeWhole({ run, expected, replaces: true, commits, attached }),
    removeRun: (run, expected) => removeRun(database, project, run, expected),
    removals: (runs) => readRemovals(database, project, runs),
    async isStillAt(run, { version, id }) {
      return (await database.ask(selectHead, [project, run, version, id])).count > 0;
    },
    async list() {
      return (await database.ask(selectNames, [project])).rows.map((row) => String(row.run));
    },
    listRuns: (filter) => listRuns(database, project, filter),
    findRuns: (beginning, limit) => findRuns(database, project, beginning, limit),
    countRuns: (filter) => countRuns(database, project, filter),
    listOutdated: (limit, after = "") => listOutdated(database, project, limit, after),
    saveProjection: (run, as, projection) => saveProjection(database, project, run, as, projection),
    async readTemplate(hash) {
      const [row] = (await database.ask(selectTemplate, [project, hash])).rows;
      return Buffer.isBuffer(row?.content) ? row.content.toString("utf8") : null;
    },
    follow: followers.follow,
    close: () =>
      database.close(async () => {
        await followers.stop();
        await notifier.settle();
      }),
  };
}

/** The versions of the tables: 0 if there were none. */
export interface Migrated {
  readonly before: number;
  readonly version: number;
}

/** Creates the tables in a database, or migrates them to this version. Two programs can do this at once. */
export async function migratePostgres(options: Pick<PostgresOptions, "url" | "waits" | "signal">): Promise<Migrated> {
  // Whoever has locked a table, or migrates it at the moment, may take longer than anything in daily work.
  const database = open({ ...options, waits: { answer: migrationWait, ...options.waits } }, async () => {});
  try {
    return { before: await migrate(database), version: knownVersion };
  } finally {
    await database.close();
  }
}

function open(
  { url, connections = 4, waits, signal }: Partial<PostgresOptions> & Pick<PostgresOptions, "url">,
  check: typeof checkSchema,
): Database {
  const address = readAddress(url);
  return createDatabase({
    address,
    connections,
    signal,
    waits: { connect: 5_000, answer: 10_000, ...waits },
    check: (query) => check(query, address),
  });
}

const pollEvery = 1_000;
const migrationWait = 10 * 60_000;

function checkedProject({ project, url }: PostgresOptions): string {
  if (isProjectName(project)) return project;
  throw new HoldfastError("store-refused", { where: readAddress(url).where, problem: projectNameRule });
}

async function sendJobs({ sendJobs: send }: PostgresOptions, query: Query, jobs: readonly unknown[]): Promise<void> {
  if (send === undefined) throw new Error("this store was opened without a way to send jobs");
  await send(async (text, values) => (await query({ name: "", text }, values)).rows, jobs);
}

const selectHead: Statement = {
  name: "holdfast_select_head",
  text: "SELECT 1 FROM holdfast.runs WHERE project = $1 AND run = $2 AND version = $3 AND head = $4",
};

const selectNames: Statement = {
  name: "holdfast_select_names",
  text: "SELECT run FROM holdfast.runs WHERE project = $1 ORDER BY run",
};

const selectTemplate: Statement = {
  name: "holdfast_select_template",
  text: "SELECT content FROM holdfast.templates WHERE project = $1 AND hash = $2",
};
