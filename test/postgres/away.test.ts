import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compose } from "../../src/app/compose.ts";
import type { Deps } from "../../src/operation/operation.ts";
import { at, makeDatabase, type TestDatabase } from "./database.ts";
import { startEvent } from "./events.ts";
import { expectDone, type Machine, makeTeam } from "./team.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

describe("a database that refuses", () => {
  const role = `reader_${Date.now()}`;

  test.each([
    ["a password", async () => at(database.url, { password: "wrong" }), "password authentication failed"],
    [
      "an older program",
      async () => {
        await database.query("INSERT INTO holdfast.migrations (version, needs) VALUES (99, '9.8.7')");
        return database.url;
      },
      "have version 99",
    ],
    [
      "a program with other tables",
      async () => {
        await database.query("UPDATE holdfast.migrations SET version = 99");
        return database.url;
      },
      "have version 99, and this version of Holdfast needs",
    ],
    [
      "a user without rights",
      async () => {
        await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
        await database.query(`GRANT USAGE ON SCHEMA holdfast TO ${role}`);
        await database.query(`GRANT SELECT ON holdfast.migrations TO ${role}`);
        return at(database.url, { username: role, password: "x" });
      },
      "permission denied for table",
    ],
  ])("%s leaves what is here to be read, and says why", async (_name, refuse, problem) => {
    const ann = await makeTeam(database).join("ann");
    const { runId } = await ann.json(["start", "steps"]);
    const before = ann.journal(runId);
    const env = { HOLDFAST_DATABASE_URL: await refuse() };
    expect(await ann.json(["status"], env)).toMatchObject({
      runId,
      step: "first",
      asOf: expect.any(String),
      storeProblem: expect.stringContaining(problem),
    });
    expect(joined((await ann.holdfast(["status"], env)).stdout)).toMatch(new RegExp(`This is as of .*: .*${problem}`));
    expect(joined((await ann.holdfast(["runs"], env)).stdout)).toMatch(new RegExp(`${runId}.*as of.*${problem}`));
    const reading = [["next"], ["handoff"], ["log"], ["show", "1"], ["report"], []];
    for (const call of await Promise.all(reading.map((words) => ann.holdfast(words, env)))) {
      expect(joined(expectDone(call).stderr)).toMatch(new RegExp(`This is as of .*: .*${problem}`));
    }
    for (const words of [["advance", "--output", "x"], ["start", "steps", "more", "--new"], ["pause"]]) {
      const refused = await ann.holdfast(words, env);
      expect([refused.code, joined(refused.stderr)]).toEqual([3, expect.stringContaining(problem)]);
    }
    expect(ann.journal(runId)).toBe(before);
    expect(await database.query("SELECT run FROM holdfast.runs")).toEqual([{ run: runId }]);
  });

  afterEach(async () => {
    if ((await database.query("SELECT FROM pg_roles WHERE rolname = $1", [role])).length === 0) return;
    await database.query(`DROP OWNED BY ${role}`);
    await database.query(`DROP ROLE ${role}`);
  });
});

/** Without the breaks that fit a text into a terminal. */
function joined(text: string): string {
  return text.replace(/\s+/g, " ");
}

describe("a process that goes on", () => {
  let other: TestDatabase;
  let deps: Deps;
  let ann: Machine;

  beforeEach(async () => {
    other = await makeDatabase();
    ann = await makeTeam(database).join("ann");
    deps = compose(ann.clone, {
      env: ann.env,
      session: undefined,
      face: "mcp",
      isTerminal: false,
      surroundings: () => ({ terminal: null, ancestors: [] }),
      as: undefined,
      confirm: undefined,
      progress: undefined,
      signal: undefined,
    });
  });
  afterEach(async () => {
    await deps.store.close();
    await other.drop();
  });

  const name = (text: string) => writeFileSync(join(ann.home, ".config/holdfast/config.yaml"), text);
  const start = (name: string) => {
    const runId = `${name}-20260101_000000-aaaa`;
    return deps.store.append(runId, 0, [{ ...startEvent, runId }]);
  };
  const runsIn = async ({ query }: TestDatabase) => (await query("SELECT project, run FROM holdfast.runs")).length;

  test("uses the database that its user names now, and leaves the former one", async () => {
    expect(await start("one")).toMatchObject({ version: 1 });
    name(`database: "${other.url}"\n`);
    expect(await start("two")).toMatchObject({ version: 1 });
    expect([await runsIn(database), await runsIn(other)]).toEqual([1, 1]);
    await expect.poll(() => database.connections()).toBe(0);

    name("{}\n");
    await expect(start("three")).rejects.toMatchObject({ code: "store-unconfigured" });
    await expect.poll(() => other.connections()).toBe(0);

    name(`database: "${at(database.url, { password: "wrong" })}"\n`);
    await expect(start("four")).rejects.toMatchObject({ code: "store-refused" });
    name(`database: "${database.url}"\n`);
    expect(await start("five")).toMatchObject({ version: 1 });
    expect([await runsIn(database), await runsIn(other)]).toEqual([2, 1]);
  });

  test("uses another project once a person has confirmed it", async () => {
    expect(await start("one")).toMatchObject({ version: 1 });
    ann.write(".holdfast/config.yaml", "cards: off\nstore: postgres\nproject: theirs\n");
    await expect(start("two")).rejects.toMatchObject({ code: "store-unconfirmed" });
    expectDone(await ann.person(["store", "confirm", "--yes"]));
    expect(await start("three")).toMatchObject({ version: 1 });
    expect(await database.query("SELECT project FROM holdfast.runs ORDER BY project")).toEqual([
      { project: "shop" },
      { project: "theirs" },
    ]);
  });

  test("lets calls under way come to their end when another database is named", async () => {
    const [first] = await Promise.all([
      start("one"),
      start("two"),
      deps.store.list().then(() => name(`database: "${other.url}"\n`)),
    ]);
    expect(first).toMatchObject({ version: 1 });
    expect(await start("three")).toMatchObject({ version: 1 });
    expect([await runsIn(database), await runsIn(other)]).toEqual([2, 1]);
    await expect.poll(() => database.connections()).toBe(0);
  });

  test("closes what it has used at its end, also if another database was named meanwhile", async () => {
    expect(await start("one")).toMatchObject({ version: 1 });
    expect(await database.connections()).toBeGreaterThan(0);
    ann.write(".holdfast/config.yaml", "cards: off\nstore: postgres\nproject: theirs\n");
    name(`database: "${other.url}"\n`);
    await deps.store.close();
    await expect.poll(() => database.connections()).toBe(0);
  });
});
