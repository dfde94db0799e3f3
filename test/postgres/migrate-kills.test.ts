import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDatabase, type TestDatabase } from "./database.ts";
import { expectDone, type Machine, makeTeam } from "./team.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

const runsThere = async () => (await database.query("SELECT run FROM holdfast.runs")).length;
const isMarked = ({ clone }: Machine, run: string) => existsSync(join(clone, ".holdfast/runs", run, "copy.json"));
const toFiles = ["store", "migrate", "--to", "files", "--remove", "--yes"];

test("a migration that is killed when the database has removed a run, and nothing is said here, is completed by the next", async () => {
  const ann = await makeTeam(database).join("ann");
  const { runId } = await ann.json(["start", "steps"]);
  const before = ann.journal(runId);
  // The removal is under way for so long that the program can be killed meanwhile, and is done all the same.
  await database.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(1); RETURN OLD; END $$`);
  await database.query("CREATE TRIGGER slow BEFORE DELETE ON holdfast.runs FOR EACH ROW EXECUTE FUNCTION wait()");
  const child = ann.begin([...toFiles, "--as", "ann", "--secret-file", join(ann.home, ".config/holdfast/secret")]);
  const sleeping = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
  await expect.poll(async () => (await database.query(sleeping)).length, { timeout: 60_000 }).toBe(1);
  child.kill("SIGKILL");
  await expect.poll(runsThere, { timeout: 60_000 }).toBe(0);
  expect(isMarked(ann, runId)).toBe(true);

  expect(expectDone(await ann.person(toFiles)).stdout).toContain("1 run moved");
  expect([isMarked(ann, runId), ann.journal(runId)]).toEqual([false, before]);
  ann.write(".holdfast/config.yaml", "cards: off\n");
  expect(await ann.json(["advance", "--output", "in files"])).toMatchObject({ runId, step: "second" });
});

test("a run that went on in files is removed from the database, too, when that is asked for", async () => {
  const ann = await makeTeam(database).join("ann");
  const { runId } = await ann.json(["start", "steps"]);
  expectDone(await ann.person(["store", "migrate", "--to", "files"]));
  ann.write(".holdfast/config.yaml", "cards: off\n");
  await ann.json(["advance", "--output", "in files"]);
  const before = ann.journal(runId);
  ann.write(".holdfast/config.yaml", "cards: off\nstore: postgres\nproject: shop\n");
  expectDone(await ann.person(toFiles));
  expect([await runsThere(), isMarked(ann, runId), ann.journal(runId)]).toEqual([0, false, before]);
});

test("several migrations at once, and a writer among them, lose no line and double none", async () => {
  const team = makeTeam(database);
  const [ann, bob] = [await team.join("ann"), await team.join("bob")];
  ann.write(".holdfast/config.yaml", "cards: off\n");
  const runs: string[] = [];
  for (const request of ["one", "two", "three"]) {
    runs.push((await ann.json(["start", "steps", request, "--new"])).runId);
  }
  const [first = ""] = runs;
  const before = runs.map(ann.journal);
  ann.write(".holdfast/config.yaml", "cards: off\nstore: postgres\nproject: shop\n");
  const up = ["store", "migrate", "--to", "postgres"];
  for (const call of await Promise.all([ann.person(up), ann.person(up), ann.person(up)])) expectDone(call);
  expect(runs.map(ann.journal)).toEqual(before);

  const [writer, ...moves] = await Promise.all([
    bob.holdfast(["advance", "--run", first, "--output", "by bob"]),
    ann.person(toFiles),
    ann.person(toFiles),
  ]);
  for (const call of moves) expectDone(call);
  expect(await runsThere()).toBe(0);
  expect(runs.filter((run) => isMarked(ann, run))).toEqual([]);
  // Whoever was told that it is stored finds it in the files.
  expect(ann.journal(first).includes("by bob")).toBe(writer.code === 0);
  expect(ann.journal(first).startsWith(before[0] ?? "-")).toBe(true);
  expect(runs.slice(1).map(ann.journal)).toEqual(before.slice(1));
});
