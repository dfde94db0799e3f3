import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ended } from "../cli/program.ts";
import { makeDatabase, type TestDatabase } from "./database.ts";
import { expectDone, type Machine, makeTeam } from "./team.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

const away = { HOLDFAST_DATABASE_URL: "postgres://127.0.0.1:1/nowhere" };
const runsOf = ({ clone }: Machine) => join(clone, ".holdfast/runs");
const waiting = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/** Kills a start that has written its template and waits to store its first commit. */
async function killStart(machine: Machine): Promise<void> {
  const lock = new pg.Client({ connectionString: database.url });
  await lock.connect();
  await lock.query("BEGIN");
  // Others can read.
  await lock.query("LOCK TABLE holdfast.runs IN EXCLUSIVE MODE");
  const start = machine.begin(["start", "steps"]);
  const isOver = ended(start);
  for (let count = 0; count === 0; )
    count = (await database.query(`SELECT ${waiting.replace("FROM", "1 FROM")}`)).length;
  start.kill("SIGKILL");
  await isOver;
  await database.query(`SELECT pg_terminate_backend(pid) ${waiting}`);
  await lock.query("ROLLBACK");
  await lock.end();
}

test("a start that was killed before its first commit is no damaged run, and gc removes what it left", async () => {
  const ann = await makeTeam(database).join("ann");
  await killStart(ann);
  expect(await database.query("SELECT run FROM holdfast.runs")).toEqual([]);
  const [left = "", ...others] = readdirSync(runsOf(ann));
  expect([left, others]).toEqual([expect.stringMatching(/^steps-/), []]);
  for (const env of [{}, away]) {
    expect(await ann.json(["runs"], env)).toMatchObject({ runs: [], damaged: [] });
    expect((await ann.holdfast(["status"], env)).stderr).toContain("run-unknown");
  }
  ann.write(".holdfast/config.yaml", "cards: off\n");
  expect(await ann.json(["runs"])).toMatchObject({ runs: [], damaged: [] });
  // It could still be under way.
  expect(await ann.json(["gc", "--days", "0", "--yes"])).toEqual({ removed: [] });
  const before = new Date(Date.now() - 25 * 60 * 60 * 1_000);
  utimesSync(join(runsOf(ann), left), before, before);
  expect(await ann.json(["gc"])).toEqual({ removed: [], leftovers: [left] });
  expect(readdirSync(runsOf(ann))).toEqual([]);
});

test("gc removes copies that the database has, and never a run of the team", async () => {
  const team = makeTeam(database);
  const [ann, bob] = [await team.join("ann"), await team.join("bob")];
  const runs: string[] = [];
  for (const request of ["spare", "noticed", "replaced", "ahead"]) {
    const { runId } = await ann.json(["start", "steps", request, "--new"]);
    expectDone(await ann.person(["abort", "--run", runId]));
    runs.push(runId);
  }
  const live = await ann.json(["start", "many"]);
  const [spare = "", noticed = "", replaced = "", ahead = ""] = runs;
  writeFileSync(join(runsOf(ann), replaced, "journal.kept-000000000000.jsonl"), "{}\n");
  const { runs: listed } = await bob.json(["runs"]);

  // Without an answer of the database nobody knows what it has.
  const kept = await ann.json(["gc", "--days", "0", "--yes"], away);
  expect(kept).toMatchObject({ removed: [], copies: [], problem: expect.stringContaining("cannot be reached") });
  expect([...kept.kept].sort()).toEqual([...runs].sort());

  await database.query("UPDATE holdfast.runs SET version = version - 1, head = 'x' WHERE run = $1", [ahead]);
  const queue = { id: "n1", at: new Date().toISOString(), version: 1, place: 0, notice: {} };
  const { createNoticeQueue } = await import("../../src/store/notice-queue.ts");
  createNoticeQueue(runsOf(ann), noticed).add([queue]);
  const asked = await ann.holdfast(["gc", "--days", "0"]);
  expect(asked.stderr.replaceAll(/\s+/g, " ")).toContain("from this machine; the database keeps them");
  const done = await ann.holdfast(["gc", "--days", "0", "--yes"]);
  expect(done.stdout).toContain("removed the copies of 1 shared run from this machine");
  expect(done.stdout).toContain("kept the copies of 3 shared runs");
  expect(readdirSync(runsOf(ann)).sort()).toEqual([noticed, replaced, ahead, live.runId].sort());
  expect((await bob.json(["runs"])).runs).toHaveLength(listed.length);
  expect(await ann.json(["status", "--run", spare])).toMatchObject({ runId: spare, status: "aborted" });
});
