import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDatabase, type TestDatabase } from "./database.ts";
import { expectDone, type Machine, makeTeam, type Team } from "./team.ts";

let database: TestDatabase;
let team: Team;
beforeEach(async () => {
  database = await makeDatabase();
  team = makeTeam(database);
});
afterEach(() => database.drop());

const workflow = `name: gated
description: Tasks that have to leave a file, and that a person approves
steps: [{ id: build, type: loop, parallel: 4 }]
loops: { build: [{ id: work, instructions: Work, gate: [{ exists: out.md }, { approval: human }] }] }
`;

const token = "build/t1/work#1@1";
const sessionOf = (id: string) => ({ HOLDFAST_SESSION: id });

/** Starts a run. Whoever sets the tasks claims the first one. */
async function claimed(main: Machine, where: Machine): Promise<string> {
  main.write(".holdfast/workflows/gated.yaml", workflow);
  const { runId } = await main.json(["start", "gated"]);
  const tasks = ["t1", "t2"].map((id) => ({ id, title: id }));
  expectDone(await where.holdfast(["tasks", "build", "--run", runId], sessionOf("a"), JSON.stringify(tasks)));
  expect(await where.json(["next", "--run", runId], sessionOf("a"))).toMatchObject({ token });
  return runId;
}

const advance = (machine: Machine, runId: string, session: string, sent = token) =>
  machine.holdfast(["advance", "--run", runId, "--token", sent, "--output", "x"], sessionOf(session));

async function commits(): Promise<number> {
  return Number((await database.query("SELECT count(*) FROM holdfast.commits"))[0]?.count);
}

async function expectRefused(machine: Machine, runId: string): Promise<void> {
  const before = await commits();
  const { code, stderr } = await advance(machine, runId, "b");
  expect([code, stderr]).toEqual([1, expect.stringContaining("claim-held")]);
  expect(stderr).toMatch(/"t1" was claimed in another clone by session a since [\s\S]*holdfast release t1/);
  expect(await commits()).toBe(before);
}

test.each(["clone", "linked worktree"])(
  "a task that was claimed in a %s is not checked in a colleague's",
  async (kind) => {
    const [ann, bob] = [await team.join("ann"), await team.join("bob")];
    const inWorktree = (machine: Machine) => (kind === "clone" ? machine : machine.worktree("wt"));
    const [hers, his] = [inWorktree(ann), inWorktree(bob)];
    const runId = await claimed(ann, hers);
    his.write("out.md", "done\n");
    await expectRefused(his, runId);
    hers.write("out.md", "done\n");
    expect((await advance(hers, runId, "a")).stderr).toContain("approval-needed");
    expectDone(await bob.person(["approve", "--run", runId, "--task", "t1"]));
    rmSync(join(hers.clone, "out.md"));
    await expectRefused(his, runId);
    await expectRefused(bob, runId);
    expect((await advance(hers, runId, "a")).stderr).toContain("gate-failed");
    hers.write("out.md", "done\n");
    // A subagent has the token, and no session that is known.
    expectDone(await advance(hers, runId, "sub"));
  },
);

test("a task that a person has released is checked where it is claimed next", async () => {
  const [ann, bob] = [await team.join("ann"), await team.join("bob")];
  const runId = await claimed(ann, ann.worktree("wt"));
  // Without a folder of that name, nothing is said about one that is gone.
  await expectRefused(bob, runId);
  expectDone(await bob.person(["release", "t1", "--run", runId]));
  const again = await bob.json(["next", "--run", runId, "--task", "t1"], sessionOf("b"));
  expect((await advance(bob, runId, "b", again.token)).stderr).toContain("gate-failed");
  bob.write("out.md", "done\n");
  expect((await advance(bob, runId, "b", again.token)).stderr).toContain("approval-needed");
  expect((await advance(ann, runId, "a")).stderr).toContain("claim-lost");
});

test("two clones of one user are two places", async () => {
  const ann = await team.join("ann");
  const other = await team.join("other", { home: ann.home });
  const runId = await claimed(ann, ann);
  other.write("out.md", "done\n");
  await expectRefused(other, runId);
  expect(await other.json(["next", "--run", runId, "--task", "t2"], sessionOf("b"))).toMatchObject({
    task: { id: "t2" },
  });
  // Nobody's changes can mix with those of another clone.
  expect((await other.holdfast(["status", "--run", runId])).stdout).not.toContain("can mix");
});

test("a claim that was made in files holds where it was made after the run has moved to the database", async () => {
  const ann = await team.join("ann");
  const settings = readFileSync(join(ann.clone, ".holdfast/config.yaml"), "utf8");
  ann.write(".holdfast/config.yaml", "cards: off\n");
  const work = ann.worktree("wt");
  const runId = await claimed(ann, work);
  ann.write(".holdfast/config.yaml", settings);
  expectDone(await ann.person(["store", "migrate", "--to", "postgres", "--yes"]));
  expect((await advance(ann, runId, "a")).stderr).toContain("gate-failed");
  work.write("out.md", "done\n");
  expect((await advance(ann, runId, "a")).stderr).toContain("approval-needed");
});
