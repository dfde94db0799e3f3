import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDatabase, type TestDatabase } from "./database.ts";
import { expectDone, type Machine, makeTeam } from "./team.ts";

// What somebody has changed in the tables past Holdfast, or a restore of a part of them.

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

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

const damageLine = "UPDATE holdfast.commits SET line = 'garbage' WHERE version = 2";

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
