import { expect, test } from "vitest";
import { noted } from "../events.ts";
import { useStores } from "./stores.ts";

const run = "first-20260101_000000-aaaa";

const { database, open } = useStores();

// What a restore of some tables only leaves. A conflict would be tried again without an end.
test.each([
  ["the run is older than its commits", "UPDATE holdfast.runs SET version = 1"],
  ["the run is newer than its commits", "UPDATE holdfast.runs SET version = 9"],
  ["the run has another last commit", "UPDATE holdfast.runs SET head = 'another'"],
  ["the last commit is gone", "DELETE FROM holdfast.commits WHERE version = 2"],
  ["the run is gone, and its commits are not", "DELETE FROM holdfast.runs"],
])("where %s, an append is refused and no conflict", async (_name, damage) => {
  const store = open();
  const first = await store.append(run, 0, [noted(1, "one")]);
  const second = await store.append(run, 1, [noted(2, "two")], first);
  await database().query(damage);
  const last = damage.startsWith("DELETE FROM holdfast.commits") ? first : second;
  await expect(store.append(run, last.version, [noted(3, "three")], last)).rejects.toMatchObject({
    code: "store-refused",
    message: expect.stringContaining(`its tables runs and commits disagree about the last commit of ${run}`),
  });
});

test("whoever is late where all agree gets a conflict", async () => {
  const store = open();
  const first = await store.append(run, 0, [noted(1, "one")]);
  await store.append(run, 1, [noted(2, "two")], first);
  await expect(store.append(run, 1, [noted(2, "too late")], first)).rejects.toMatchObject({ code: "version-conflict" });
});

test("where a run is gone and its commits are not, whoever starts it again is refused", async () => {
  const store = open();
  await store.append(run, 0, [noted(1, "one")]);
  await database().query("DELETE FROM holdfast.runs");
  await expect(store.append(run, 0, [noted(1, "again")])).rejects.toMatchObject({
    code: "store-refused",
    message: expect.stringContaining("its tables runs and commits disagree about a run"),
  });
});

test.each(["public", "holdfast"])(
  "a job that is there already is no contradiction, also with its table in the schema %s",
  async (schema) => {
    await database().query(`CREATE TABLE ${schema}.jobs (id integer PRIMARY KEY)`);
    const store = open({
      sendJobs: async (execute, jobs) => {
        for (const job of jobs) await execute(`INSERT INTO ${schema}.jobs VALUES ($1)`, [job]);
      },
    });
    const doubled = store.append(run, 0, [noted(1, "one")], undefined, { jobs: [1, 1] });
    await expect(doubled).rejects.toMatchObject({
      code: "store-refused",
      message: expect.stringContaining("refuses: duplicate key"),
    });
  },
);
