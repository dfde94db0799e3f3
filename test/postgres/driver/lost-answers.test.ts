import { afterEach, beforeEach, expect, test } from "vitest";
import { createPostgresStore, type PostgresOptions } from "../../../src/store/postgres/postgres-store.ts";
import { type Commit, readAll, type SharedStore } from "../../../src/store/store.ts";
import { at, makeDatabase, type TestDatabase } from "../database.ts";
import { type FaultyProxy, startProxy } from "../proxy.ts";

const run = "first-20260101_000000-aaaa";
const event = { seq: 1, at: "2026-01-01T00:00:00.000Z", type: "summary-set", summary: "one" } as const;

let database: TestDatabase;
let proxy: FaultyProxy;
let store: SharedStore;
let first: Commit;

beforeEach(async () => {
  database = await makeDatabase();
  proxy = await startProxy(Number(new URL(database.url).port));
  // Past the proxy, so that no notice is on its way when it fails.
  const direct = createPostgresStore({ url: database.url, project: "one" });
  first = await direct.append(run, 0, [event]);
  await direct.close();
  store = open();
  await store.list();
});
afterEach(async () => {
  await store.close();
  await proxy.close();
  await database.drop();
});

function open(options: Partial<PostgresOptions> = {}): SharedStore {
  const url = at(database.url, { port: String(proxy.port) });
  return createPostgresStore({ url, project: "one", waits: { answer: 500 }, patience: 20_000, ...options });
}

/** Past the proxy. */
async function stored(): Promise<readonly Commit[]> {
  const direct = createPostgresStore({ url: database.url, project: "one" });
  const commits = await readAll(direct.read(run));
  await direct.close();
  return commits;
}

test("a commit whose acknowledgement is lost is found again by its id", async () => {
  proxy.loseAnswers();
  const second = await store.append(run, 1, [event], first);
  expect(await stored()).toEqual([first, second]);
});

test("a commit with jobs whose acknowledgement is lost has sent them once", async () => {
  await database.query("CREATE TABLE jobs (job json NOT NULL)");
  const sending = open({
    sendJobs: async (execute, jobs) => {
      for (const job of jobs) await execute("INSERT INTO jobs VALUES ($1)", [JSON.stringify(job)]);
      // Behind this comes the end of the transaction.
      proxy.loseAnswers();
    },
  });
  const second = await sending.append(run, 1, [event], first, { jobs: [1] });
  await sending.close();
  expect(await stored()).toEqual([first, second]);
  expect(await database.query("SELECT job FROM jobs")).toEqual([{ job: 1 }]);
});

test("a connection on which nothing arrives any more is given up, and the commit is sent on another", async () => {
  proxy.freeze();
  const second = await store.append(run, 1, [event], first);
  expect(await stored()).toEqual([first, second]);
});

test("a commit that was lost to another writer in the meantime is a conflict, not an acknowledgement", async () => {
  proxy.freeze();
  const direct = createPostgresStore({ url: database.url, project: "one" });
  const mine = store.append(run, 1, [event], first);
  const other = await direct.append(run, 1, [event], first);
  await expect(mine).rejects.toMatchObject({ code: "version-conflict" });
  await direct.close();
  expect(await stored()).toEqual([first, other]);
});

test("when no answer comes at all, it is said that the commit may have been stored", async () => {
  const impatient = open({ patience: 300 });
  await impatient.list();
  proxy.loseAnswers();
  proxy.refuse(true);
  const append = impatient.append(run, 1, [event], first);
  await expect(append).rejects.toMatchObject({ code: "store-unreachable", data: { committed: "unknown" } });
  await impatient.close();
  proxy.refuse(false);
  expect(await stored()).toHaveLength(2);
});

test("when no connection can be had, it is certain that nothing was stored", async () => {
  proxy.refuse(true);
  const fresh = open();
  const append = fresh.append(run, 1, [event], first);
  await expect(append).rejects.toMatchObject({ code: "store-unreachable", data: { committed: "no" } });
  await fresh.close();
  expect(await stored()).toEqual([first]);
});

test("reading goes on with another connection when one was cut", async () => {
  proxy.cut();
  expect(await readAll(store.read(run))).toEqual([first]);
  proxy.loseAnswers();
  expect(await store.isStillAt(run, first)).toBe(true);
});

test("no connection is left when a store is closed, whatever became of the network", async () => {
  proxy.freeze();
  await store.close();
  await expect.poll(() => database.connections()).toBe(0);
});
