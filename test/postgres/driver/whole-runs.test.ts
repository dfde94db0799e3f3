import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { type CopiedCommit, type RunProjection, readAll, type SharedStore } from "../../../src/store/store.ts";
import { at as addressed, makeDatabase, type TestDatabase } from "../database.ts";
import { at, noted } from "../events.ts";
import { type FaultyProxy, startProxy } from "../proxy.ts";

const run = "first-20260101_000000-aaaa";
const other = "second-20260101_000000-bbbb";

let database: TestDatabase;
let stores: SharedStore[];
let proxy: FaultyProxy | null;

beforeEach(async () => {
  database = await makeDatabase();
  stores = [];
  proxy = null;
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await proxy?.close();
  await database.drop();
});

function open(project = "one", url = database.url): SharedStore {
  const store = createPostgresStore({ url, project, waits: { answer: 2_000 } });
  stores.push(store);
  return store;
}

const listed: RunProjection = { status: "running", step: "plan", who: "Ada", at, data: null };

async function write(store: SharedStore, name: string, texts: readonly string[]): Promise<readonly CopiedCommit[]> {
  for (const [n, text] of texts.entries()) await store.append(name, n, [noted(n + 1, text)]);
  return lines(store, name);
}

async function lines(store: SharedStore, name: string): Promise<readonly CopiedCommit[]> {
  const all: CopiedCommit[] = [];
  for await (const commit of store.readLines(name)) all.push(commit);
  return all;
}

test("a run that is imported has every line byte for byte, its template and its row", async () => {
  const commits = await write(open("from"), run, ["one", "é\0\ud800", "three"]);
  const store = open("to");
  await store.importLines(run, null, commits.slice(0, 2));
  expect(await store.listOutdated(5)).toHaveLength(1);
  await store.importLines(run, commits[1] ?? null, commits.slice(2), {
    projection: listed,
    templates: [{ hash: "sha256:1", text: "template" }],
  });
  expect(await lines(store, run)).toEqual(commits);
  expect(await store.readTemplate("sha256:1")).toBe("template");
  expect(await store.listRuns({ limit: 5 })).toMatchObject([{ run, version: 3, projected: 3, projection: listed }]);
  const fourth = await store.append(run, 3, [noted(4, "four")], commits[2]);
  expect(await readAll(store.read(run, { version: 4 }))).toEqual([fourth]);
});

test("lines that do not belong there are refused, and nothing is stored", async () => {
  const store = open();
  const commits = await write(store, run, ["one", "two", "three"]);
  const [first, second, third] = commits as [CopiedCommit, CopiedCommit, CopiedCommit];
  const forged = { ...second, line: Buffer.from(Buffer.from(second.line).toString().replace("two", "owt")) };
  const conflict = { code: "version-conflict" };
  const corrupt = { code: "journal-corrupt" };
  await expect(store.importLines(run, null, commits)).rejects.toMatchObject(conflict);
  await expect(store.importLines(run, second, [third])).rejects.toMatchObject(conflict);
  await expect(store.importLines(other, first, [second])).rejects.toMatchObject(conflict);
  await expect(store.importLines(other, null, [second])).rejects.toMatchObject(corrupt);
  await expect(store.importLines(other, null, [first, third])).rejects.toMatchObject(corrupt);
  await expect(store.importLines(other, null, [first, forged])).rejects.toMatchObject(corrupt);
  await expect(store.importLines(other, null, [{ ...first, id: second.id }])).rejects.toMatchObject(corrupt);
  await expect(store.importLines("../up", null, commits)).rejects.toThrow();
  expect(await store.list()).toEqual([run]);
  expect(await lines(store, run)).toEqual(commits);
});

test("of two programs that import the same run, one is told that it is there", async () => {
  const commits = await write(
    open("from"),
    run,
    Array.from({ length: 50 }, (_, n) => `n${n}`),
  );
  const results = await Promise.allSettled([1, 2].map(() => open("to").importLines(run, null, commits)));
  expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(await lines(open("to"), run)).toEqual(commits);
});

test("an import whose acknowledgement is lost is stored once, and is a success", async () => {
  const commits = await write(open("from"), run, ["one", "two"]);
  const faulty = await startProxy(Number(new URL(database.url).port));
  proxy = faulty;
  const store = open("to", addressed(database.url, { port: String(faulty.port) }));
  let attempts = 0;
  await store.importLines(run, null, commits, {
    // Is read last, and behind it comes the end of the transaction.
    get templates() {
      attempts += 1;
      if (attempts === 1) faulty.loseAnswers();
      return [];
    },
  });
  expect(attempts).toBe(1);
  expect(await lines(open("to"), run)).toEqual(commits);
});

test("a run is replaced only from where it was expected, also by a shorter one", async () => {
  const store = open();
  const before = await write(store, run, ["one", "two", "three"]);
  const after = await write(open("elsewhere"), run, ["uno"]);
  const stale = store.replaceRun(run, before[1] ?? { version: 0, id: "" }, after);
  await expect(stale).rejects.toMatchObject({ code: "version-conflict" });
  expect(await lines(store, run)).toEqual(before);
  await store.replaceRun(run, before[2] ?? { version: 0, id: "" }, after);
  expect(await lines(store, run)).toEqual(after);
  expect(await store.listOutdated(5)).toMatchObject([{ run, version: 1 }]);
});

test("a run is removed with all that belongs to it, unless it has moved on", async () => {
  const store = open();
  const [first, second] = await write(store, run, ["one", "two"]);
  await write(store, other, ["one"]);
  await store.leases.renew(run, 1, { at, runner: null, machine: "m-1" });
  expect(await store.removeRun(run, first ?? { version: 0, id: "" })).toBe(false);
  expect(await lines(store, run)).toHaveLength(2);
  expect(await store.removeRun(run, second ?? { version: 0, id: "" })).toBe(true);
  expect(await lines(store, run)).toEqual([]);
  expect(await store.leases.read(run)).toEqual(new Map());
  expect(await store.list()).toEqual([other]);
});

test("the last commits of many runs come in one answer, without those that are not there", async () => {
  const store = open();
  const [first] = await write(store, run, ["one"]);
  const [, second] = await write(store, other, ["one", "two"]);
  const heads = await store.heads([run, other, "third-20260101_000000-cccc", "'; --"]);
  expect([...heads].toSorted()).toEqual([
    [run, { version: 1, id: first?.id }],
    [other, { version: 2, id: second?.id }],
  ]);
  expect(await open("another").heads([run])).toEqual(new Map());
});

describe("leases", () => {
  const lease = (machine: string, runner: string | null = null) => ({ at, runner, machine });

  test("of all machines are seen by all, and renewed by the last", async () => {
    const [store, elsewhere] = [open(), open()];
    await write(store, run, ["one"]);
    await store.leases.renew(run, 1, lease("m-1", "7.1"));
    await elsewhere.leases.renew(run, 2, lease("m-2"));
    await elsewhere.leases.renew(run, 1, lease("'; --\0"));
    expect(await store.leases.read(run)).toEqual(
      new Map([
        [2, lease("m-2")],
        [1, lease("'; --\u{fffd}")],
      ]),
    );
    expect(await open("another").leases.read(run)).toEqual(new Map());
  });

  test("end with their claims, but not those that were made since", async () => {
    const { leases, ...store } = open();
    await store.append(run, 0, [noted(1, "one")]);
    for (const claim of [1, 2, 3, 4]) await leases.renew(run, claim, lease("m-1"));
    await leases.endAllBut(run, new Set([2]), 3);
    expect([...(await leases.read(run)).keys()].toSorted()).toEqual([2, 4]);
  });

  test("bring nothing of a run back that is not there", async () => {
    const store = open();
    await store.leases.renew(run, 1, lease("m-1"));
    expect(await store.leases.read(run)).toEqual(new Map());
  });
});
