import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDatabase, type TestDatabase } from "./database.ts";
import { expectDone, type Machine, makeTeam } from "./team.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

const inFiles = "cards: off\n";
const shared = "cards: off\nstore: postgres\nproject: shop\n";

async function withRunsInFiles(): Promise<{ readonly ann: Machine; readonly runs: readonly string[] }> {
  const ann = await makeTeam(database).join("ann");
  ann.write(".holdfast/config.yaml", inFiles);
  const runs: string[] = [];
  for (const request of ["one", "two", "three"]) {
    const { runId } = await ann.json(["start", "steps", request, "--new"]);
    await ann.json(["advance", "--run", runId, "--output", `Grüße ${request} \u{1f600}`]);
    runs.push(runId);
  }
  ann.write(".holdfast/config.yaml", shared);
  return { ann, runs };
}

const linesThere = async (run: string) => {
  const rows = await database.query("SELECT line FROM holdfast.commits WHERE run = $1 ORDER BY version", [run]);
  return rows.map(({ line }) => `${line}\n`).join("");
};

test("runs move to the database and back with every line as it was, and nothing is added", async () => {
  const { ann, runs } = await withRunsInFiles();
  const before = runs.map(ann.journal);
  const [first = ""] = runs;
  expect((await ann.holdfast(["advance", "--run", first, "--output", "x"])).stderr).toContain(
    "holdfast store migrate --to postgres",
  );
  const moved = JSON.parse(expectDone(await ann.person(["store", "migrate", "--to", "postgres", "--json"])).stdout);
  expect(moved.runs.map(({ result }: { result: string }) => result)).toEqual(["moved", "moved", "moved"]);
  for (const [index, run] of runs.entries()) expect(await linesThere(run)).toBe(before[index]);
  expect(runs.map(ann.journal)).toEqual(before);
  expect(expectDone(await ann.person(["store", "migrate", "--to", "postgres"])).stdout).toContain("3 there already");

  const back = expectDone(await ann.person(["store", "migrate", "--to", "files"]));
  expect(back.stdout).toContain('remove "store: postgres"');
  expect(runs.map(ann.journal)).toEqual(before);
  // The settings still name the database, which still has the run.
  expectDone(await ann.holdfast(["status", "--run", first]));
  expect((await ann.holdfast(["advance", "--run", first, "--output", "x"])).stderr).toContain("run-not-shared");
  ann.write(".holdfast/config.yaml", inFiles);
  expect((await ann.holdfast(["advance", "--run", first, "--output", "in files again"])).stderr).toContain("approval");
});

test("in a project that keeps its runs in files again, a copy is not the run that is meant", async () => {
  const ann = await makeTeam(database).join("ann");
  const { runId } = await ann.json(["start", "steps", "shared"]);
  ann.write(".holdfast/config.yaml", inFiles);
  expect(await ann.json(["status"])).toMatchObject({ runId });
  const { runId: next } = await ann.json(["start", "steps", "in files"]);
  expect(next).not.toBe(runId);
  expect(await ann.json(["status"])).toMatchObject({ runId: next });
  expect(await ann.json(["status", "--run", runId])).toMatchObject({ step: "first" });
});

test("--remove with a migration to the database is refused, and nothing is changed", async () => {
  const { ann } = await withRunsInFiles();
  const refused = await ann.person(["store", "migrate", "--to", "postgres", "--remove"]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--remove is only for --to files")]);
  expect(await database.query("SELECT run FROM holdfast.runs")).toEqual([]);
});

test("a copy that is ahead of a restored database is not moved to files, and the way out is named", async () => {
  const ann = await makeTeam(database).join("ann");
  const { runId } = await ann.json(["start", "steps"]);
  await ann.json(["advance", "--output", "one"]);
  const whole = ann.journal(runId);
  await database.query("DELETE FROM holdfast.commits WHERE version > 1");
  await database.query("UPDATE holdfast.runs SET version = 1, head = (SELECT id FROM holdfast.commits)");
  const refused = await ann.person(["store", "migrate", "--to", "files", "--json"]);
  expect([refused.code, JSON.parse(refused.stdout).runs]).toEqual([
    1,
    [
      {
        runId,
        result: "refused",
        problem: expect.stringMatching(
          /has version 1 .* and the copy here has version \d .*restored from an old backup/,
        ),
        next: expect.stringContaining("holdfast store migrate --to postgres"),
      },
    ],
  ]);
  expectDone(await ann.person(["store", "migrate", "--to", "postgres"]));
  expectDone(await ann.person(["store", "migrate", "--to", "files"]));
  expect(ann.journal(runId)).toBe(whole);
});

test("a run that somebody has only looked at is not made one of this clone by a migration", async () => {
  const team = makeTeam(database);
  const ann = await team.join("ann");
  const { runId } = await ann.json(["start", "steps", "hers", "--new"]);
  const bob = await team.join("bob");
  await bob.json(["status", "--run", runId]);
  expectDone(await bob.person(["store", "migrate", "--to", "postgres"]));
  expect((await bob.holdfast(["advance", "--output", "x"])).stderr).toContain("run-unknown");
});

test("a run that has gone another way in the database is not moved, and the others are", async () => {
  const { ann, runs } = await withRunsInFiles();
  expectDone(await ann.person(["store", "migrate", "--to", "postgres"]));
  expectDone(await ann.person(["store", "migrate", "--to", "files"]));
  const [first = "", second = ""] = runs;
  ann.write(".holdfast/config.yaml", inFiles);
  await ann.holdfast(["advance", "--run", first, "--output", "here"]);
  await ann.holdfast(["advance", "--run", second, "--output", "here"]);
  const other = await makeTeam(database).join("bob");
  await other.holdfast(["advance", "--run", first, "--output", "there"]);
  ann.write(".holdfast/config.yaml", shared);
  const moved = await ann.person(["store", "migrate", "--to", "postgres", "--json"]);
  expect(moved.code).toBe(1);
  const { runs: rows } = JSON.parse(moved.stdout);
  const byId = new Map(rows.map((row: { runId: string }) => [row.runId, row]));
  expect(byId.get(first)).toMatchObject({
    result: "refused",
    problem: expect.stringMatching(
      /version \d+ \([0-9a-f]{12}\) here and version \d+ \([0-9a-f]{12}\) in the database/,
    ),
  });
  expect(byId.get(second)).toMatchObject({ result: "moved" });
  expect(await linesThere(second)).toBe(ann.journal(second));
});

test("with --remove the database has the runs no more, and nobody else can go on with them", async () => {
  const { ann, runs } = await withRunsInFiles();
  const before = runs.map(ann.journal);
  expectDone(await ann.person(["store", "migrate", "--to", "postgres"]));
  const asked = await ann.person(["store", "migrate", "--to", "files", "--remove"]);
  expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining("for everyone")]);
  expectDone(await ann.person(["store", "migrate", "--to", "files", "--remove", "--yes"]));
  expect(await database.query("SELECT run FROM holdfast.runs")).toEqual([]);
  expect(runs.map(ann.journal)).toEqual(before);
  expectDone(await ann.person(["store", "migrate", "--to", "postgres"]));
  expect(await database.query("SELECT run FROM holdfast.removals")).toEqual([]);
});

test("a run leaves the database in a file and comes into another one with every line, a receipt, and no claims", async () => {
  const other = await makeDatabase();
  try {
    const ann = await makeTeam(database).join("ann");
    const bob = await makeTeam(other).join("bob");
    const { runId } = await ann.json(["start", "steps"]);
    await ann.json(["advance", "--output", "one"]);
    const file = join(ann.clone, "run.json");
    expectDone(await ann.holdfast(["export", runId, "--output", file]));
    expectDone(await bob.holdfast(["import", file]));
    const [ours, theirs] = [ann.journal(runId), bob.journal(runId)];
    expect(theirs.startsWith(ours)).toBe(true);
    expect(theirs.slice(ours.length)).toContain('"run-received"');
    const rows = await other.query("SELECT version FROM holdfast.runs WHERE run = $1", [runId]);
    expect(rows).toEqual([{ version: theirs.trimEnd().split("\n").length }]);
    expect(await bob.json(["next", "--run", runId])).toMatchObject({ step: "second" });
  } finally {
    await other.drop();
  }
});

test("a damaged copy is fetched again, and a run is removed for everyone only by a person who says so", async () => {
  const ann = await makeTeam(database).join("ann");
  const { runId } = await ann.json(["start", "steps"]);
  expectDone(await ann.person(["abort", "--run", runId, "--yes"]));
  const path = join(ann.clone, ".holdfast/runs", runId, "journal.jsonl");
  const whole = readFileSync(path, "utf8");
  writeFileSync(path, whole.replace("run-started", "run-stXrted"));
  expect(await ann.json(["repair", runId])).toMatchObject({ repaired: true, lost: 0 });
  expect(readFileSync(path, "utf8")).toBe(whole);
  const asked = await ann.holdfast(["rm", runId]);
  expect(asked.stderr).toContain("for everyone");
  expectDone(await ann.holdfast(["rm", runId, "--yes"]));
  expect(await database.query("SELECT run FROM holdfast.runs")).toEqual([]);
});

test("a run that a colleague has removed is said to be gone, and its copy can be removed", async () => {
  const team = makeTeam(database);
  const [ann, bob] = [await team.join("ann"), await team.join("bob")];
  const { runId } = await ann.json(["start", "steps"]);
  await bob.json(["status", "--run", runId]);
  expectDone(await ann.person(["abort", "--run", runId, "--yes"]));
  expectDone(await ann.holdfast(["rm", runId, "--yes"]));
  expect((await bob.holdfast(["status", "--run", runId])).stderr).toContain("was removed from the database");
  const { copies } = await bob.json(["store", "status"]);
  expect(copies).toMatchObject({ here: 1, ahead: [], removed: [runId] });
  // A migration does not bring it back, either: whoever has a copy may not know.
  const moved = await bob.person(["store", "migrate", "--to", "postgres"]);
  expect([moved.code, moved.stdout]).toEqual([1, expect.stringContaining("was removed from the database")]);
  expect(await database.query("SELECT run FROM holdfast.runs")).toEqual([]);
  // As the error says: the copy can be saved where the settings name no database.
  bob.write(".holdfast/config.yaml", inFiles);
  expectDone(await bob.holdfast(["export", runId, "-o", join(bob.home, "saved.holdfast")]));
  bob.write(".holdfast/config.yaml", shared);
  expectDone(await bob.holdfast(["rm", runId, "--yes"]));
  expect((await bob.holdfast(["status", "--run", runId])).stderr).toContain("run-unknown");
});

test("a run that only this machine cannot read is not removed for everyone", async () => {
  const ann = await makeTeam(database).join("ann");
  const { runId } = await ann.json(["start", "steps"]);
  await ann.json(["advance", "--run", runId, "--output", "x"]);
  // A database that was restored from an old backup.
  await database.query("DELETE FROM holdfast.commits WHERE version > 1");
  await database.query(
    "UPDATE holdfast.runs SET version = 1, head = (SELECT id FROM holdfast.commits WHERE commits.run = runs.run)",
  );
  expect((await ann.holdfast(["rm", runId, "--yes"])).stderr).toContain("store-rewound");
  expect(await database.query("SELECT run FROM holdfast.runs")).toEqual([{ run: runId }]);
});

test("a copy of a live run that is left when the project goes back to files can be removed", async () => {
  const team = makeTeam(database);
  const [ann, bob] = [await team.join("ann"), await team.join("bob")];
  const { runId } = await ann.json(["start", "steps"]);
  expectDone(await bob.holdfast(["status", "--run", runId]));
  expectDone(await ann.person(["store", "migrate", "--to", "files", "--remove", "--yes"]));
  bob.write(".holdfast/config.yaml", inFiles);
  const refused = await bob.holdfast(["abort", "--run", runId, "--reason", "x"]);
  expect(refused.stderr.replaceAll(/\s+/g, " ")).toContain(`the copy is removed with: holdfast rm ${runId}`);
  expectDone(await bob.person(["rm", runId, "--yes"]));
  expect((await bob.json(["runs"])).runs).toEqual([]);
});
