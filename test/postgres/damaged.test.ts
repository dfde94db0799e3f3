import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDatabase, type TestDatabase } from "./database.ts";
import { expectDone, type Machine, makeTeam } from "./team.ts";

// What somebody has changed in the tables past Holdfast, or a restore of a part of them.

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

const shared = "cards: off\nstore: postgres\nproject: shop\n";

/** A run of Ann's, and a colleague who has no copy of it. */
interface Shared {
  readonly ann: Machine;
  readonly bob: Machine;
  readonly runId: string;
}

async function runOfAnn(): Promise<Shared> {
  const team = makeTeam(database);
  const ann = await team.join("ann");
  const bob = await team.join("bob");
  const { runId } = await ann.json(["start", "steps"]);
  await ann.json(["advance", "--output", "one"]);
  return { ann, bob, runId };
}

const linesThere = async (run: string) => {
  const rows = await database.query("SELECT line FROM holdfast.commits WHERE run = $1 ORDER BY version", [run]);
  return rows.map(({ line }) => `${line}\n`).join("");
};

const damageLine = "UPDATE holdfast.commits SET line = 'garbage' WHERE version = 2";
const rewindRow =
  "UPDATE holdfast.runs SET version = 1, head = (SELECT id FROM holdfast.commits WHERE commits.run = runs.run AND version = 1)";

test("a run that is damaged in the database is removed there, also from a clone without a copy", async () => {
  const { bob, runId } = await runOfAnn();
  await database.query(damageLine);
  const { stderr } = await bob.holdfast(["status", "--run", runId]);
  expect(stderr).toMatch(/in the database at .* is damaged in line 2: .*journal-corrupt/);
  expect(stderr).toMatch(/Next .*holdfast store migrate --to postgres.*holdfast rm/);
  expect((await bob.holdfast(["repair", runId])).stderr).toContain("journal-corrupt");
  expect((await bob.person(["rm", runId])).stderr).toContain("for everyone");
  expect(await database.query("SELECT FROM holdfast.runs")).toHaveLength(1);
  expectDone(await bob.person(["rm", runId, "--yes"]));
  expect(await database.query("SELECT run FROM holdfast.runs UNION SELECT run FROM holdfast.commits")).toEqual([]);
});

test("a run that cannot be asked for is not called removed", async () => {
  const { bob, runId } = await runOfAnn();
  await database.query("ALTER TABLE holdfast.commits RENAME TO away");
  const refused = await bob.person(["rm", runId, "--yes"]);
  expect([refused.code, refused.stdout]).toEqual([3, ""]);
  await database.query("ALTER TABLE holdfast.away RENAME TO commits");
  await database.query("DELETE FROM holdfast.runs");
  await database.query(damageLine);
  expect((await bob.person(["rm", runId, "--yes"])).stderr).toContain("runs and commits disagree");
});

test.each([
  ["a damaged line", damageLine],
  ["no first commit", "DELETE FROM holdfast.commits WHERE version = 1"],
  ["no last commit", "DELETE FROM holdfast.commits WHERE version = (SELECT max(version) FROM holdfast.commits)"],
  ["an older version in its row than in its commits", rewindRow],
  ["commits, and no row", "DELETE FROM holdfast.runs"],
])(
  "a run with %s is whole again after a migration from a copy, and others can go on with it",
  async (_what, damage) => {
    const { ann, bob, runId } = await runOfAnn();
    const before = await linesThere(runId);
    await database.query(damage);
    expect(expectDone(await ann.person(["store", "migrate", "--to", "postgres"])).stdout).toContain("1 run moved");
    expect(await linesThere(runId)).toBe(before);
    expect((await bob.json(["status", "--run", runId])).step).toBe("second");
    expect((await bob.holdfast(["advance", "--run", runId, "--output", "two"])).stderr).toContain("approval");
    expectDone(await bob.person(["approve", "--run", runId]));
    expect(expectDone(await ann.person(["store", "migrate", "--to", "postgres"])).stdout).toContain("1 there already");
  },
);

test("a migration reports each run that cannot be moved with its own reason, and moves the others", async () => {
  const { ann, runId } = await runOfAnn();
  await database.query(rewindRow);
  // Nobody has these commits here, so nothing tells which table is right.
  await database.query("UPDATE holdfast.commits SET version = version + 10 WHERE version > 1");
  ann.write(".holdfast/config.yaml", "cards: off\n");
  const inFiles: string[] = [];
  for (const name of ["a", "b", "c"]) inFiles.push((await ann.json(["start", "steps", name, "--new"])).runId);
  ann.write(".holdfast/config.yaml", shared);
  const moved = await ann.person(["store", "migrate", "--to", "postgres", "--json"]);
  expect(moved.code).toBe(1);
  const { runs } = JSON.parse(moved.stdout);
  expect(runs.filter(({ result }: { result: string }) => result === "moved")).toHaveLength(3);
  expect(runs.find((row: { runId: string }) => row.runId === runId)).toMatchObject({
    result: "refused",
    problem: expect.stringContaining(`runs and commits disagree about ${runId}`),
    next: expect.stringContaining("backup"),
  });
});

test("a row with an id that is no id of a run does not end a migration to files", async () => {
  const { ann, runId } = await runOfAnn();
  await database.query("INSERT INTO holdfast.runs (project, run, version, head) VALUES ('shop', '../../evil', 1, 'x')");
  const moved = await ann.person(["store", "migrate", "--to", "files", "--json"]);
  expect(moved.code).toBe(1);
  expect(JSON.parse(moved.stdout).runs).toEqual([
    {
      runId: "../../evil",
      result: "refused",
      problem: expect.stringContaining("no id of a run"),
      next: expect.any(String),
    },
    { runId, result: "moved" },
  ]);
});

test("a migration with --remove ends where the tables disagree, and keeps the run", async () => {
  const { bob, runId } = await runOfAnn();
  await database.query(rewindRow);
  const moved = await bob.person(["store", "migrate", "--to", "files", "--remove", "--yes", "--json"]);
  expect(JSON.parse(moved.stdout).runs).toMatchObject([
    { runId, result: "refused", problem: expect.stringContaining("disagree") },
  ]);
  expect(await database.query("SELECT FROM holdfast.runs")).toHaveLength(1);
});

test("tables without a version are not called missing, and nobody is sent to create them", async () => {
  const { ann } = await runOfAnn();
  await database.query("DELETE FROM holdfast.migrations");
  const { stdout } = await ann.holdfast(["store", "status"]);
  expect(stdout).toContain("their version in the table migrations is missing");
  expect(stdout).not.toMatch(/none yet|store init/);
  const refused = await ann.person(["store", "init"]);
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("in the table migrations is missing")]);
});

test("a run whose row cannot be read is listed without a time", async () => {
  const { bob, runId } = await runOfAnn();
  await database.query("UPDATE holdfast.runs SET projection = '[]'");
  const { stdout } = expectDone(await bob.holdfast(["runs"]));
  expect(stdout).toContain(runId);
  expect(stdout).not.toContain("NaN");
});

test("a migration of no runs does not say that the database has them", async () => {
  const ann = await makeTeam(database).join("ann");
  expect(expectDone(await ann.person(["store", "migrate", "--to", "files"])).stdout).not.toContain("still has them");
});

test("a mistake in the user's own settings is to be corrected there", async () => {
  const ann = await makeTeam(database).join("ann");
  writeFileSync(join(ann.home, ".config/holdfast/config.yaml"), "database: [\n");
  const { stderr } = await ann.holdfast(["start", "steps"]);
  expect(stderr).toMatch(/Next .*correct the file/);
});
