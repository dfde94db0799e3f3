import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeCrowd } from "../../bench/many-runs.ts";
import { asPerson, program } from "../cli/program.ts";
import { contextOf, hookProgram } from "../hooks/hook-program.ts";
import { makeDatabase, type TestDatabase } from "./database.ts";
import { expectDone, type Machine, makeTeam, session, tell } from "./team.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

const count = 60;
const folderOf = ({ clone }: Machine) => join(clone, ".holdfast/runs");
const nameOf = (n: number) => `long-20260101_000000-${n.toString(36).padStart(4, "0")}`;

/** A machine with many live copies, after commands that remember what they have seen. */
async function crowded(team = makeTeam(database)): Promise<Machine> {
  const ann = await team.join("ann");
  await makeCrowd({ ended: 0, live: count, folder: ann.clone });
  expectDone(await ann.person(["store", "migrate", "--to", "postgres"]));
  await settled(ann);
  return ann;
}

/** What has just changed is not remembered. */
async function settled(ann: Machine): Promise<void> {
  await expect
    .poll(
      async () => {
        await ann.holdfast(["status"]);
        return opened(ann, "status").length;
      },
      { timeout: 60_000 },
    )
    .toBe(0);
}

/** The files in the folders of runs that a program opens. */
function opened({ clone, env }: Machine, how: "status" | "hook"): string[] {
  const trace = join(dirname(clone), "opened");
  const spy = join(dirname(clone), "spy.cjs");
  writeFileSync(
    spy,
    `const fs = require("node:fs"), seen = [];
    for (const name of ["openSync", "readdirSync", "readFileSync", "opendirSync"]) {
      const act = fs[name];
      fs[name] = (path, ...rest) => { if (/runs\\/long-/.test(String(path))) seen.push(String(path)); return act(path, ...rest); };
    }
    require("node:module").syncBuiltinESMExports();
    process.on("exit", () => fs.writeFileSync(${JSON.stringify(trace)}, seen.join("\\n")));`,
  );
  const words = how === "status" ? [program, "status"] : [hookProgram, "--host", "claude", "--via", "project", "Stop"];
  const input = JSON.stringify({ session_id: session, cwd: clone, hook_event_name: "Stop", stop_hook_active: false });
  spawnSync(process.execPath, ["--require", spy, ...asPerson, ...words], { cwd: clone, env, input });
  return readFileSync(trace, "utf8").split("\n").filter(Boolean);
}

test("among many copies, neither a command nor a hook opens those in which nothing has changed", async () => {
  const ann = await crowded();
  expect(opened(ann, "status")).toEqual([]);
  const byHook = new Set(opened(ann, "hook").map((path) => path.split("runs/")[1]?.split("/")[0]));
  // The newest one may be the session's.
  expect([...byHook]).toEqual([nameOf(count - 1)]);
});

test("what is remembered of many copies does not hide a new seat, another mark or a new commit", async () => {
  const team = makeTeam(database);
  const ann = await crowded(team);
  const [first, second, third] = [nameOf(3), nameOf(7), nameOf(11)];
  // The session takes a seat in one that is not the newest.
  await ann.json(["next", "--run", first], { HOLDFAST_SESSION: session });
  expect(contextOf(await tell(ann, "SessionStart", { source: "resume" }))).toContain(first);
  const here = async () => {
    const { runs } = await ann.json(["runs", "--all"]);
    return runs
      .filter((row: { here: boolean; status: string }) => row.here && row.status === "running")
      .map(({ runId }: { runId: string }) => runId);
  };
  expect(await here()).toEqual(expect.arrayContaining([second, third]));
  // Nobody works on it here, says a mark that is put in the place of the former one.
  const mark = join(folderOf(ann), second, "copy.json");
  writeFileSync(`${mark}-new`, readFileSync(mark, "utf8").replace('"here":true', '"here":false'));
  expect(spawnSync("mv", [`${mark}-new`, mark]).status).toBe(0);
  expect(await here()).not.toContain(second);
  // Another machine goes on, and the copy is fetched although nothing has changed here.
  const before = ann.journal(third);
  const bob = await team.join("bob");
  await bob.json(["abort", "--run", third, "--reason", "by bob", "--yes"]);
  expect(await here()).not.toContain(third);
  await ann.holdfast(["status"]);
  expect(ann.journal(third)).not.toBe(before);
});

test("a first look at many copies asks the database for all of them at once", async () => {
  const ann = await crowded();
  spawnSync("rm", ["-r", join(ann.clone, ".holdfast/cache")]);
  const statements = async () =>
    Number(
      (await database.query("SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()"))[0]?.n,
    );
  const before = await statements();
  await ann.holdfast(["status"]);
  expect((await statements()) - before).toBeLessThan(count / 2);
});
