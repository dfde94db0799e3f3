import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDatabase, type TestDatabase } from "./database.ts";
import { expectDone, type Machine, makeTeam } from "./team.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

async function pair(): Promise<[Machine, Machine]> {
  const team = makeTeam(database);
  return [await team.join("ann"), await team.join("bob")];
}

async function withTask(ann: Machine): Promise<string> {
  const as = { HOLDFAST_SESSION: "a" };
  const { runId } = await ann.json(["start", "many"], as);
  expectDone(await ann.holdfast(["tasks", "build", "--run", runId], as, JSON.stringify([{ id: "t1", title: "One" }])));
  await ann.json(["next", "--run", runId], as);
  return runId;
}

test("a claim of another machine holds while its lease is fresh, and is taken over when it has expired", async () => {
  const [ann, bob] = await pair();
  const runId = await withTask(ann);
  const as = { HOLDFAST_SESSION: "b" };
  const held = await bob.holdfast(["next", "--run", runId, "--task", "t1"], as);
  expect([held.code, held.stderr]).toEqual([1, expect.stringContaining("claim-held")]);
  // As if nobody had heard of her for an hour.
  await database.query("UPDATE holdfast.leases SET at = '2020-01-01T00:00:00.000Z'");
  const taken = await bob.json(["next", "--run", runId, "--task", "t1"], { ...as, HOLDFAST_LEASE_SECONDS: "0.001" });
  expect(taken).toMatchObject({ task: { id: "t1" } });
  const late = await ann.holdfast(["advance", "--run", runId, "--output", "late"], { HOLDFAST_SESSION: "a" });
  expect([late.code, late.stderr]).toEqual([1, expect.stringMatching(/claim-(lost|held|needed)/)]);
});

/** Both machines of a test are one, and yet a process of the other one must not be looked for here. */
test("a command of another machine counts as running until its lease has expired, even if the process is gone", async () => {
  const [ann, bob] = await pair();
  for (const machine of [ann, bob]) {
    machine.write(
      ".holdfast/workflows/build.yaml",
      `name: build\ndescription: A command\nsteps:
  - { id: make, type: command, repeatable: true, run: "echo once >> made; until [ -e go ]; do sleep 0.1; done" }
  - { id: after, type: action, instructions: Look at it }\n`,
    );
    expectDone(await machine.person(["trust", "build", "--yes"]));
  }
  const made = (machine: Machine) => join(machine.clone, "made");
  const child = ann.begin(["start", "build"]);
  const gone = new Promise((resolve) => child.once("exit", resolve));
  while (!existsSync(made(ann))) await new Promise((resolve) => setTimeout(resolve, 50));
  child.kill("SIGKILL");
  await gone;
  ann.write("go", "");
  bob.write("go", "");
  const [row] = await database.query("SELECT run FROM holdfast.runs WHERE run LIKE 'build%'");
  const runId = String(row?.run);
  const early = await bob.holdfast(["next", "--run", runId, "--json"]);
  expect([existsSync(made(bob)), early.stdout]).toEqual([false, expect.stringContaining("make")]);
  const later = await bob.json(["next", "--run", runId], { HOLDFAST_LEASE_SECONDS: "0.001" });
  expect([existsSync(made(bob)), later]).toMatchObject([true, { step: "after" }]);
});

test("who takes the work of a colleague by its run's id goes on with it without naming it", async () => {
  const [ann, bob] = await pair();
  const { runId } = await ann.json(["start", "steps"]);
  expectDone(await bob.holdfast(["status", "--run", runId]));
  expect((await bob.holdfast(["advance", "--output", "one"])).stderr).toContain("run-unknown");
  await bob.json(["next", "--run", runId]);
  expect(await bob.json(["advance", "--output", "one"])).toMatchObject({ runId, step: "second" });
});

test("a lease of a year is not renewed again and again", async () => {
  const [ann] = await pair();
  ann.write(
    ".holdfast/workflows/slow.yaml",
    `name: slow\ndescription: A gate\nsteps:
  - { id: make, type: action, instructions: Make it, gate: [{ run: sleep 1 }] }\n`,
  );
  expectDone(await ann.person(["trust", "slow", "--yes"]));
  await ann.json(["start", "slow"]);
  const ended = await ann.holdfast(["advance", "--output", "made"], { HOLDFAST_LEASE_SECONDS: "31536000" });
  expect([ended.code, ended.stderr]).toEqual([0, ""]);
  expect(await database.query("SELECT * FROM holdfast.leases")).toEqual([]);
});

test("the rights that are documented are enough for daily work", async () => {
  const [grants = ""] = /CREATE ROLE holdfast_users[\s\S]*?(?=```)/.exec(readFileSync("docs/team.md", "utf8")) ?? [];
  const role = `ada_${Date.now()}`;
  const group = `users_${Date.now()}`;
  await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'a-Pa55word'`);
  const statements = grants.replaceAll("holdfast_users", group).replaceAll("TO ada", `TO ${role}`);
  for (const statement of statements.split(";").filter((each) => each.trim() !== "")) await database.query(statement);
  try {
    const url = Object.assign(new URL(database.url), { username: role, password: "a-Pa55word" }).href;
    const ann = await makeTeam({ url }).join("ann");
    const { runId } = await ann.json(["start", "steps"]);
    await ann.json(["advance", "--output", "one"]);
    await withTask(ann);
    expect(await ann.json(["store", "status"])).toMatchObject({
      reachable: true,
      runs: { count: 2 },
      changes: "listen",
    });
    expectDone(await ann.person(["abort", "--run", runId, "--yes"]));
    expectDone(await ann.holdfast(["rm", runId, "--yes"]));
    const denied = await ann.holdfast(["store", "init"]);
    expect(denied.stderr).not.toContain("a-Pa55word");
  } finally {
    await database.query(`DROP OWNED BY ${role}, ${group}`);
    await database.query(`DROP ROLE ${role}, ${group}`);
  }
});
