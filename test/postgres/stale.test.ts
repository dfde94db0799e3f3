import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { at, makeDatabase, type TestDatabase } from "./database.ts";
import { type FaultyProxy, startProxy } from "./proxy.ts";
import { expectDone, type Machine, makeTeam } from "./team.ts";

// Two people share a project. Ann's way to the database can be cut, Bob's is always open.

let database: TestDatabase;
let proxy: FaultyProxy;
let ann: Machine;
let bob: Machine;

beforeEach(async () => {
  database = await makeDatabase();
  proxy = await startProxy(Number(new URL(database.url).port));
  const team = makeTeam(database);
  ann = await team.join("ann", { url: at(database.url, { port: String(proxy.port) }) });
  bob = await team.join("bob");
});
afterEach(async () => {
  await proxy.close();
  await database.drop();
});

function cut(): void {
  proxy.refuse(true);
  proxy.cut();
}

test("a start whose answer was lost is the run that is live here, and is not started again", async () => {
  proxy.loseAnswerTo("holdfast_begin_run_with_templates");
  const starting = ann.begin(["start", "steps", "fix the bug"]);
  const runs = () => database.query("SELECT run FROM holdfast.runs");
  await expect.poll(runs).toHaveLength(1);
  starting.kill("SIGKILL");
  proxy.refuse(false);
  const [stored] = await runs();
  expect(await ann.json(["status"])).toMatchObject({ runId: stored?.run });
  expect(await ann.json(["start", "steps", "fix the bug"])).toMatchObject({ runId: stored?.run });
  expect(await runs()).toEqual([stored]);
});

test("what a copy says against a change is not told as an answer while the database is away", async () => {
  const { runId } = await bob.json(["start", "steps"]);
  expectDone(await ann.holdfast(["status", "--run", runId]));
  expectDone(await bob.holdfast(["advance", "--output", "x"]));
  expect((await bob.holdfast(["advance", "--output", "x"])).stderr).toContain("approval-needed");
  cut();
  for (const act of [
    ann.person(["approve", "--run", runId]),
    ann.holdfast(["advance", "--run", runId, "--token", "second#1", "--output", "x"]),
    ann.person(["rm", runId, "--yes"]),
  ]) {
    const { code, stderr } = await act;
    expect([code, stderr]).toEqual([3, expect.stringContaining("store-unreachable")]);
  }
  proxy.refuse(false);
  expectDone(await ann.person(["approve", "--run", runId]));
});

test("whoever exports a run without the database is told how old it is", async () => {
  const { runId } = await bob.json(["start", "steps"]);
  expectDone(await ann.holdfast(["status", "--run", runId]));
  cut();
  const file = join(ann.home, "run.hf");
  expect(await ann.json(["export", runId, "--output", file])).toMatchObject({ asOf: expect.any(String), commits: 1 });
  expect(expectDone(await ann.holdfast(["export", runId])).stderr).toContain("This is as of");
});

test("a colleague's run that was removed stands in nobody's way who has only looked at it", async () => {
  const { runId } = await bob.json(["start", "steps"]);
  expectDone(await bob.person(["abort", "--yes"]));
  expectDone(await ann.holdfast(["status", "--run", runId]));
  expectDone(await bob.person(["rm", runId, "--yes"]));
  const status = await ann.holdfast(["status"]);
  expect([status.code, status.stderr]).toEqual([1, expect.stringContaining("run-unknown")]);
  expect((await ann.holdfast(["status", "--run", runId])).stderr).toContain("run-removed");
});

test("a copy from another project is never compared with this one, and removing it removes nothing here", async () => {
  const { runId } = await bob.json(["start", "steps"]);
  expectDone(await bob.person(["abort", "--yes"]));
  const file = join(bob.home, "run.hf");
  expectDone(await bob.holdfast(["export", runId, "--output", file]));

  // Somebody has imported the same run into another project, to which Bob's clone goes.
  const cleo = await makeTeam(database, "store: postgres\nproject: bank\n").join("cleo");
  expectDone(await cleo.holdfast(["import", file]));
  expectDone(await cleo.person(["reopen", runId]));
  bob.write(".holdfast/config.yaml", "cards: off\nstore: postgres\nproject: bank\n");
  expectDone(await bob.person(["store", "confirm", "--yes"]));
  expect(await bob.json(["store", "status"])).toMatchObject({ copies: { here: 1, ahead: [], behind: [] } });
  expectDone(await bob.holdfast(["status", "--run", runId]));
  expectDone(await bob.person(["rm", runId, "--yes"]));
  const rows = await database.query("SELECT project FROM holdfast.runs WHERE run = $1 ORDER BY project", [runId]);
  expect(rows).toEqual([{ project: "bank" }, { project: "shop" }]);
});

test("an import that was stored is not told as one that has changed nothing", async () => {
  const { runId } = await bob.json(["start", "steps"]);
  expectDone(await bob.person(["abort", "--yes"]));
  const file = join(bob.home, "run.hf");
  expectDone(await bob.holdfast(["export", runId, "--output", file]));
  expectDone(await bob.person(["rm", runId, "--yes"]));
  // In the place of the run's folder.
  ann.write(join(".holdfast/runs", runId), "");
  expect(await ann.json(["import", file])).toMatchObject({ runId, result: "new" });
  expect(await database.query("SELECT run FROM holdfast.runs")).toEqual([{ run: runId }]);
});
