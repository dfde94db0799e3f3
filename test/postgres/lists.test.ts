import { userInfo } from "node:os";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { SharedStore } from "../../src/store/store.ts";
import { at as addressed, makeDatabase, type TestDatabase } from "./database.ts";
import { at, noted, startEvent } from "./events.ts";
import { type Machine, makeTeam } from "./team.ts";

// A program that knows no workflows appends, and lists describe its runs.

let database: TestDatabase;
let store: SharedStore;
let ann: Machine;
beforeEach(async () => {
  database = await makeDatabase();
  store = createPostgresStore({ url: database.url, project: "shop" });
  ann = await makeTeam(database).join("ann");
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

const idOf = (name: string) => `${name}-20260101_000000-aaaa`;
const rowOf = async (run: string) =>
  (await database.query("SELECT status, who, projected FROM holdfast.runs WHERE run = $1", [run]))[0];

async function begin(name: string): Promise<void> {
  await store.append(idOf(name), 0, [{ ...startEvent, runId: idOf(name) }]);
}

test("a list describes a run whose last commit has no row, and names who made it, not who reads", async () => {
  await begin("plain");
  await begin("ended");
  await store.append(idOf("ended"), 1, [{ seq: 2, at, type: "run-aborted", reason: "enough", by: "Bea" }]);
  expect((await ann.json(["runs"])).runs).toHaveLength(2);
  expect(await rowOf(idOf("plain"))).toEqual({ status: "running", who: "", projected: 1 });
  expect(await rowOf(idOf("ended"))).toEqual({ status: "aborted", who: "Bea", projected: 2 });
});

test("runs that cannot be read keep no other run out of lists, and a list reads no more than a part", async () => {
  const unreadable = Array.from({ length: 120 }, (_, each) => `a${String(each).padStart(3, "0")}`);
  for (const name of unreadable) await begin(name);
  await database.query("UPDATE holdfast.commits SET line = '\\x7b7d'");
  await begin("readable");
  const lists: unknown[] = [];
  for (let list = 0; list < 3; list++) {
    await ann.json(["runs"]);
    lists.push((await rowOf(idOf("readable")))?.projected);
  }
  expect(lists).toEqual([0, 0, 1]);
});

test("a list reads one long journal at a time", async () => {
  for (const name of ["long", "longer"]) {
    await begin(name);
    for (let version = 1; version < 1_000; version++)
      await store.append(idOf(name), version, [noted(version + 1, "on")]);
  }
  await ann.json(["runs"]);
  expect([await rowOf(idOf("long")), await rowOf(idOf("longer"))]).toMatchObject([
    { projected: 1_000 },
    { projected: 0 },
  ]);
  await ann.json(["runs"]);
  expect(await rowOf(idOf("longer"))).toMatchObject({ projected: 1_000 });
});

test("a user who may only read sees the list of the database, also where a run is not described", async () => {
  const name = `reader_${Date.now()}`;
  await database.query(`CREATE ROLE ${name} LOGIN PASSWORD 'x'`);
  await database.query(`GRANT USAGE ON SCHEMA holdfast TO ${name}`);
  await database.query(`GRANT SELECT ON ALL TABLES IN SCHEMA holdfast TO ${name}`);
  await begin("plain");
  const url = addressed(database.url, { username: name, password: "x" });
  const listed = await ann.json(["runs"], { HOLDFAST_DATABASE_URL: url });
  expect(listed).toMatchObject({ runs: [{ runId: idOf("plain") }], shared: { more: 0 } });
  expect(listed.shared).not.toHaveProperty("problem");
  await database.query(`DROP OWNED BY ${name}`);
  await database.query(`DROP ROLE ${name}`);
});

test("a migration names who made the last change of a run, not who migrates", async () => {
  ann.write(".holdfast/config.yaml", "cards: off\n");
  const { runId } = await ann.json(["start", "steps"]);
  const other = await ann.json(["start", "many"]);
  await ann.person(["abort", "--run", other.runId]);
  ann.write(".holdfast/config.yaml", "cards: off\nstore: postgres\nproject: shop\n");
  await ann.json(["store", "migrate", "--to", "postgres"]);
  expect(await rowOf(runId)).toMatchObject({ status: "running", who: "" });
  expect(await rowOf(other.runId)).toMatchObject({ status: "aborted", who: userInfo().username });
});
