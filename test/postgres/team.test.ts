import { execFileSync } from "node:child_process";
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

test("a run that was started on one machine goes on on another by name, and both have every line of it", async () => {
  const [ann, bob] = await pair();
  const { runId } = await ann.json(["start", "steps"]);
  // Not even looking at it makes it the run that is meant there.
  expect(await bob.json(["status", "--run", runId])).toMatchObject({ runId, step: "first" });
  expect((await bob.holdfast(["next"])).stderr).toContain("run-unknown");
  expect(await bob.json(["next", "--run", runId])).toMatchObject({ runId, step: "first" });
  await bob.json(["advance", "--run", runId, "--output", "done by bob"]);
  expect(await ann.json(["status"])).toMatchObject({ runId, step: "second" });
  expect(await bob.json(["status"])).toMatchObject({ runId, step: "second" });
  expect(ann.journal(runId)).toBe(bob.journal(runId));
});

test("gates look at the worktree of whoever works, and at the run's own on the machine where it began", async () => {
  const [ann, bob] = await pair();
  const [feature, other] = [ann.worktree("feature"), bob.worktree("other")];
  ann.write(
    ".holdfast/workflows/plan.yaml",
    `name: plan
description: Three files
steps:
  - { id: one, type: action, instructions: "One in {project_root}", gate: [{ exists: one.md }] }
  - { id: two, type: action, instructions: Two, gate: [{ exists: two.md }] }
  - { id: three, type: action, instructions: Three, gate: [{ exists: three.md }] }
`,
  );
  const { runId } = await feature.json(["start", "plan"]);
  const advance = ["advance", "--run", runId, "--output", "done"];
  expect((await bob.holdfast(advance)).stderr).toContain("one.md");
  bob.write("one.md", "x");
  expect(await bob.json(advance)).toMatchObject({ step: "two" });
  other.write("two.md", "x");
  expect((await bob.holdfast(advance)).stderr).toContain("two.md");
  expect(await other.json(advance)).toMatchObject({ step: "three" });
  feature.write("three.md", "x");
  expect(await ann.json(advance)).toMatchObject({ status: "complete" });
  const next = await ann.json(["start", "plan"]);
  expect((await other.json(["next", "--run", next.runId])).instructions).toContain(other.clone);
});

test("a run that somebody only looks at leaves nothing that git could commit", async () => {
  const [ann, bob] = await pair();
  const { runId } = await ann.json(["start", "steps"]);
  await bob.json(["status", "--run", runId]);
  expect(bob.journal(runId)).toBe(ann.journal(runId));
  const untracked = execFileSync("git", ["-C", bob.clone, "status", "--porcelain"], { encoding: "utf8" });
  expect(untracked).toBe("");
});

test("a run that somebody only looks at does not stand in the way of a start there", async () => {
  const [ann, bob] = await pair();
  const { runId } = await ann.json(["start", "steps", "Ann's own"]);
  await bob.json(["status", "--run", runId]);
  const own = await bob.json(["start", "steps", "Bob's own"]);
  expect(own.runId).not.toBe(runId);
  expect(await bob.json(["status"])).toMatchObject({ runId: own.runId });
  expect(await ann.json(["status"])).toMatchObject({ runId });
});

test("a command without a name means no run that somebody only looks at", async () => {
  const [ann, bob] = await pair();
  const { runId } = await ann.json(["start", "steps"]);
  await bob.json(["status", "--run", runId]);
  const own = await bob.json(["start", "many"]);
  expect(await bob.json(["status"])).not.toHaveProperty("otherRuns");
  await ann.person(["abort", "--run", runId]);
  await bob.json(["status", "--run", runId]);
  expect((await bob.person(["rm", "--yes"])).stderr).toContain(own.runId);
  expect(await ann.json(["status", "--run", runId])).toMatchObject({ runId, status: "aborted" });
});

test("of several starts at the same moment one run is left, in the database, too", async () => {
  const ann = await makeTeam(database).join("ann");
  const calls = await Promise.all(Array.from({ length: 6 }, () => ann.json(["start", "steps", "the same"])));
  const [left, ...others] = [...new Set(calls.map(({ runId }) => runId))];
  expect(others).toEqual([]);
  expect(await database.query("SELECT run FROM holdfast.runs")).toEqual([{ run: left }]);
});

test("whoever shares a run can approve it", async () => {
  const [ann, bob] = await pair();
  const { runId } = await ann.json(["start", "steps"]);
  await ann.json(["advance", "--output", "one"]);
  expect((await ann.holdfast(["advance", "--output", "two"])).stderr).toContain("approval-needed");
  expectDone(await bob.person(["approve", "--run", runId]));
  expect(await ann.json(["advance", "--output", "two"])).toMatchObject({ step: "third" });
});

test("both machines work on the tasks of a loop, and nobody does a task twice", async () => {
  const [ann, bob] = await pair();
  const { runId } = await ann.json(["start", "many"], { HOLDFAST_SESSION: "a0" });
  const tasks = ["t1", "t2", "t3", "t4", "t5", "t6"];
  const list = JSON.stringify(tasks.map((id) => ({ id, title: id })));
  expectDone(await ann.holdfast(["tasks", "build", "--run", runId], { HOLDFAST_SESSION: "a0" }, list));
  const done: string[] = [];
  const agent = async (machine: Machine, session: string) => {
    const as = { HOLDFAST_SESSION: session };
    for (;;) {
      const next = await machine.holdfast(["next", "--run", runId, "--json"], as);
      const { task, token, status } = JSON.parse(next.stdout);
      if (next.code !== 0 || status !== "running" || task == null) return;
      const ended = await machine.holdfast(
        ["advance", "--run", runId, "--token", token, "--output", "ok", "--json"],
        as,
      );
      if (ended.code === 0) done.push(task.id ?? task);
    }
  };
  await Promise.all([agent(ann, "a0"), agent(bob, "b1"), agent(bob, "b2")]);
  expect(done.sort()).toEqual(tasks);
  expect(await bob.json(["status", "--run", runId])).toMatchObject({ status: "complete" });
});

test("the runs of the project are listed on every machine, and a list says which are here", async () => {
  const [ann, bob] = await pair();
  const { runId } = await ann.json(["start", "steps"]);
  expect(await bob.json(["runs"])).toMatchObject({
    runs: [{ runId, step: "first", here: false }],
    shared: { more: 0 },
  });
  expect(await ann.json(["runs"])).toMatchObject({ runs: [{ runId, here: true }] });
  // A copy of it comes with a look at it, which is no work on it.
  await bob.json(["status", "--run", runId]);
  expect(await bob.json(["runs"])).toMatchObject({ runs: [{ runId, here: false }] });
  expect((await bob.holdfast(["runs"])).stdout).toMatch(/\* .*\n\* not worked on here/);
  const away = { HOLDFAST_DATABASE_URL: "postgres://127.0.0.1:1/nowhere" };
  expect(await bob.json(["runs"], away)).toMatchObject({ runs: [{ runId, here: false }] });
  expect(await ann.json(["runs"], away)).toMatchObject({ runs: [{ runId, here: true }] });
  for (const request of ["a", "b"]) await bob.json(["start", "many", request, "--new"]);
  expect(await ann.json(["runs", "--limit", "2"])).toMatchObject({ runs: [{}, {}], shared: { more: 1 } });
  expect((await ann.holdfast(["runs", "--limit", "2"])).stdout).toContain("1 older run not shown");
});
