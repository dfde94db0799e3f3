import { afterEach, beforeEach, expect, test } from "vitest";
import { createPostgresStore, type PostgresOptions } from "../../../src/store/postgres/postgres-store.ts";
import type { SharedStore } from "../../../src/store/store.ts";
import { at, makeDatabase, type TestDatabase } from "../database.ts";
import { type Pooler, startPooler } from "../pooler.ts";

const run = "first-20260101_000000-aaaa";
const event = { seq: 1, at: "2026-01-01T00:00:00.000Z", type: "summary-set", summary: "one" } as const;

let database: TestDatabase;
let pooler: Pooler | null;
let stores: SharedStore[];
beforeEach(async () => {
  database = await makeDatabase();
  pooler = null;
  stores = [];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await pooler?.close();
  await database.drop();
});

function open(options: Partial<PostgresOptions> = {}): SharedStore {
  const store = createPostgresStore({ url: database.url, project: "one", followEvery: 60_000, ...options });
  stores.push(store);
  return store;
}

/** Follows a store, and keeps what it was told. */
async function follow(store: SharedStore) {
  const told: string[] = [];
  const following = await store.follow((changed, { version }) => told.push(`${changed} ${version}`));
  return { told, ...following };
}

test("a follower is told of the commits of others in its project, and of no other", async () => {
  const writer = open();
  const first = await writer.append(run, 0, [event]);
  const { told, by } = await follow(open());
  expect(by()).toBe("listen");
  await open({ project: "two" }).append(run, 0, [event]);
  await writer.append(run, 1, [event], first);
  await expect.poll(() => told).toEqual([`${run} 2`]);
});

test("a change that nobody tells of is found by its version", async () => {
  await open().append(run, 0, [event]);
  const { told, by } = await follow(open({ followEvery: 100 }));
  expect(by()).toBe("listen");
  await database.query("UPDATE holdfast.runs SET version = 2, head = 'x'");
  await database.query(
    `INSERT INTO holdfast.commits (project, run, version, id, line) VALUES ('one', '${run}', 2, 'x', '')`,
  );
  await expect.poll(() => told).toEqual([`${run} 2`]);
});

test("a follower whose connection was lost connects again, and misses nothing", async () => {
  const writer = open();
  const { told, by } = await follow(open());
  await database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'holdfast'",
  );
  await writer.append(run, 0, [event]);
  await expect.poll(() => told).toEqual([`${run} 1`]);
  await expect.poll(by).toBe("listen");
});

test("a follower is told of every run where a backup was restored, however long ago they changed", async () => {
  const writer = open();
  const first = await writer.append(run, 0, [event]);
  await database.query("CREATE TABLE old_runs AS SELECT project, run, version, head FROM holdfast.runs");
  await database.query("CREATE TABLE old_commits AS SELECT * FROM holdfast.commits");
  await writer.append(run, 1, [event], first);
  const { told } = await follow(open({ followEvery: 100 }));
  await database.query(
    `TRUNCATE holdfast.runs, holdfast.commits;
     INSERT INTO holdfast.runs (project, run, version, head) SELECT * FROM old_runs;
     INSERT INTO holdfast.commits SELECT * FROM old_commits`,
  );
  await expect.poll(() => told).toEqual([`${run} 1`]);
});

test("a follower that throws is told of later changes, and its error is an uncaught exception", async () => {
  const uncaught: unknown[] = [];
  const former = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => uncaught.push(error));
  try {
    const told: number[] = [];
    const fault = new Error("of the follower");
    await open().follow((_run, { version }) => {
      told.push(version);
      if (version === 1) throw fault;
    });
    const writer = open();
    const first = await writer.append(run, 0, [event]);
    await expect.poll(() => uncaught).toEqual([fault]);
    await writer.append(run, 1, [event], first);
    await expect.poll(() => told).toEqual([1, 2]);
  } finally {
    process.removeAllListeners("uncaughtException");
    for (const listener of former) process.on("uncaughtException", listener);
  }
});

test("behind a pooler that shares connections it polls and says so, and appends need no prepared statement", async () => {
  pooler = await startPooler(database.url);
  const url = at(database.url, { port: String(pooler.port) });
  const { told, by } = await follow(open({ url }));
  expect(by()).toBe("poll");
  const writers = [open({ url }), open({ url })];
  let last = await open({ url }).append(run, 0, [event]);
  for (let n = 1; n < 12; n++) last = (await writers[n % 2]?.append(run, n, [event], last)) ?? last;
  await expect.poll(() => told.at(-1)).toBe(`${run} 12`);
  expect(pooler.switches()).toBeGreaterThan(12);
});
