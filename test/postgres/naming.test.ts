import { afterEach, beforeEach, expect, test } from "vitest";
import { at, makeDatabase, type TestDatabase } from "./database.ts";
import { startProxy } from "./proxy.ts";
import { type Machine, makeTeam } from "./team.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await makeDatabase();
});
afterEach(() => database.drop());

async function pair(url = database.url): Promise<[Machine, Machine]> {
  const team = makeTeam({ url });
  return [await team.join("ann"), await team.join("bob")];
}

/** All but the last characters, which differ from run to run. */
function cut(runId: string, by: number): string {
  return runId.slice(0, -by);
}

test("where no run here is meant, it is said how to name one of the team", async () => {
  const [ann, bob] = await pair();
  await ann.json(["start", "steps"]);
  for (const words of [
    ["next"],
    ["next", "--run", "nothing-like-it"],
    ["next", "--run", "steps-20200101_000000-abcd"],
  ]) {
    const { stderr } = await bob.holdfast(words);
    expect(stderr).toContain("run-unknown");
    expect(stderr.replaceAll(/\s+/g, " ")).toContain("a run of the team with --run <id>: `holdfast runs` lists them");
  }
});

test("the beginning of an id finds a run of the team, and the name of a workflow only runs here", async () => {
  const [ann, bob] = await pair();
  const { runId } = await ann.json(["start", "steps"]);
  expect((await bob.holdfast(["next", "--run", "steps"])).stderr).toContain("run-unknown");
  expect(await bob.json(["status", "--run", cut(runId, 4)])).toMatchObject({ runId });
  // Its copy is here now, and still nobody works on it here.
  expect((await bob.holdfast(["next", "--run", "steps"])).stderr).toContain("run-unknown");
  expect(await bob.json(["next", "--run", cut(runId, 4)])).toMatchObject({ runId, step: "first" });
  await bob.json(["advance", "--run", cut(runId, 4), "--output", "x"]);
  expect(await bob.json(["status", "--run", "steps"])).toMatchObject({ runId, step: "second" });
});

test("the beginning of several ids is refused with the runs of the team that it could mean", async () => {
  const [ann, bob] = await pair();
  const first = await ann.json(["start", "steps", "one"]);
  const second = await ann.json(["start", "steps", "two", "--new"]);
  const refused = await bob.holdfast(["status", "--run", "steps-20", "--json"]);
  expect(refused.stdout).toContain("run-unknown");
  const ambiguous = await bob.holdfast(["status", "--run", cut(first.runId, 16)]);
  expect(ambiguous.stderr).toContain("run-ambiguous");
  expect(ambiguous.stderr).toContain(first.runId);
  expect(ambiguous.stderr).toContain(second.runId);
  // A live run is meant rather than one that has ended, and a run here rather than any other.
  await ann.person(["abort", "--run", second.runId]);
  expect(await bob.json(["status", "--run", cut(first.runId, 16)])).toMatchObject({ runId: first.runId });
  const own = await bob.json(["start", "steps", "three"]);
  expect(await bob.json(["status", "--run", cut(own.runId, 16)])).toMatchObject({ runId: own.runId });
});

test("with more matches than anybody could choose from, no full list is asked for", async () => {
  const [ann, bob] = await pair();
  const { runId } = await ann.json(["start", "steps"]);
  await database.query(
    `INSERT INTO holdfast.runs (project, run, version, head, projected)
     SELECT project, 'steps-20200101_' || lpad(n::text, 6, '0') || '-abcd', 1, head, 1
     FROM holdfast.runs, generate_series(1, 200) AS n`,
  );
  expect((await bob.holdfast(["status", "--run", "steps-2020"])).stderr).toContain("and at least 45 more");
  expect(await bob.json(["status", "--run", cut(runId, 4)])).toMatchObject({ runId });
});

test("while the database is away, the beginning of an id means a copy here, and nothing is called unknown", async () => {
  const proxy = await startProxy(Number(new URL(database.url).port));
  try {
    const [ann, bob] = await pair(at(database.url, { port: String(proxy.port) }));
    const { runId } = await ann.json(["start", "steps"]);
    proxy.refuse(true);
    proxy.cut();
    expect((await bob.holdfast(["status", "--run", cut(runId, 4)])).stderr).toContain("store-unreachable");
    proxy.refuse(false);
    await bob.json(["status", "--run", runId]);
    proxy.refuse(true);
    proxy.cut();
    expect(await bob.json(["status", "--run", cut(runId, 4)])).toMatchObject({ runId, asOf: expect.any(String) });
  } finally {
    await proxy.close();
  }
});
