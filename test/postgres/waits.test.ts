import { afterEach, beforeEach, expect, test } from "vitest";
import { createPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { ended } from "../cli/program.ts";
import { at, makeDatabase, type TestDatabase } from "./database.ts";
import { noted, startEvent } from "./events.ts";
import { type FaultyProxy, startProxy } from "./proxy.ts";
import { type Machine, makeTeam } from "./team.ts";

let database: TestDatabase;
let proxies: FaultyProxy[];
beforeEach(async () => {
  database = await makeDatabase();
  proxies = [];
});
afterEach(async () => {
  for (const proxy of proxies) await proxy.close();
  await database.drop();
});

/** A way to the server, and the variable with which a command takes it. */
async function wayThere() {
  const proxy = await startProxy(Number(new URL(database.url).port));
  proxies.push(proxy);
  return { proxy, env: { HOLDFAST_DATABASE_URL: at(database.url, { port: String(proxy.port) }) } };
}

const commands = [
  ["status"],
  ["runs"],
  ["next"],
  ["handoff"],
  ["advance", "--output", "x"],
  ["start", "steps", "another", "--new"],
  ["store", "status"],
  ["doctor"],
  [],
];

test("a command waits once for a server that says nothing", async () => {
  const team = makeTeam(database);
  const ann = await team.join("ann");
  const { runId } = await ann.json(["start", "steps"]);
  const elsewhere = (await (await team.join("bob")).json(["start", "steps"])).runId;
  const all = [...commands, ["status", "--run", elsewhere]];
  const before = ann.journal(runId);
  const waits = all.map(async (words) => {
    const { proxy, env } = await wayThere();
    proxy.hang(true);
    await ann.holdfast(words, env);
    return [words, proxy.made()];
  });
  expect(await Promise.all(waits)).toEqual(all.map((words) => [words, 1]));
  expect(ann.journal(runId)).toBe(before);
});

/** Sends a signal when the command waits for a server that says nothing. */
async function interrupted(ann: Machine, words: readonly string[], signal: NodeJS.Signals) {
  const { proxy, env } = await wayThere();
  proxy.hang(true);
  const child = ann.begin(words, env);
  await expect.poll(() => proxy.made(), { timeout: 60_000 }).toBe(1);
  child.kill(signal);
  return ended(child);
}

test.each(["SIGINT", "SIGTERM"] as const)("%s ends a command that waits for the server", async (signal) => {
  const ann = await makeTeam(database).join("ann");
  const { runId } = await ann.json(["start", "steps"]);
  const before = ann.journal(runId);
  const all = await Promise.all([...commands, ["store", "init"]].map((words) => interrupted(ann, words, signal)));
  for (const { code, stdout, stderr } of all) {
    expect([code, stdout, stderr]).toEqual([130, "", expect.stringContaining("no answer before the interruption")]);
    expect(stderr).toContain("nothing was changed (store-unreachable)");
    expect(stderr).not.toMatch(/\n {4}at /);
  }
  expect(ann.journal(runId)).toBe(before);
  expect(await ann.json(["advance", "--output", "x"])).toMatchObject({ step: "second" });
});

test("an advance that is interrupted before its answer says that it may have been stored, and the next command tells", async () => {
  const ann = await makeTeam(database).join("ann");
  await ann.json(["start", "steps"]);
  const { proxy, env } = await wayThere();
  const sent = proxy.muteAt("holdfast_move_run");
  const child = ann.begin(["advance", "--output", "x"], env);
  await sent;
  child.kill("SIGINT");
  const { code, stderr } = await ended(child);
  expect([code, stderr]).toEqual([130, expect.stringContaining("may have been stored or not")]);
  expect(await ann.json(["status"])).toMatchObject({ step: "second" });
});

test("what is recorded after an interruption reaches a server that answers", async () => {
  const ann = await makeTeam(database).join("ann");
  const gate = "touch here; until test -e go; do sleep 0.1; done";
  ann.write(
    ".holdfast/workflows/gated.yaml",
    `name: gated\ndescription: Checks\nsteps:\n  - { id: one, type: action, instructions: Do it, gate: [{ run: "${gate}" }] }\n`,
  );
  await ann.person(["trust", "gated", "--yes"]);
  const { runId } = await ann.json(["start", "gated"]);
  const child = ann.begin(["advance", "--output", "x"]);
  await expect.poll(() => ann.has("here"), { timeout: 60_000 }).toBe(true);
  child.kill("SIGINT");
  const { code, stderr } = await ended(child);
  expect([code, stderr]).toEqual([1, expect.stringContaining("interrupted")]);
  expect(ann.journal(runId)).toContain("gate");
  expect(await database.query("SELECT max(version)::int AS n FROM holdfast.commits")).toEqual([
    { n: ann.journal(runId).trim().split("\n").length },
  ]);
});

test("a store can be closed while the server says nothing, whatever it has not answered yet", async () => {
  const { proxy, env } = await wayThere();
  const store = createPostgresStore({
    url: env.HOLDFAST_DATABASE_URL,
    project: "one",
    waits: { connect: 300_000, answer: 300_000 },
  });
  const following = await store.follow(() => {});
  expect(following.by()).toBe("listen");
  const told = proxy.muteAt("pg_notify");
  await store.append(startEvent.runId, 0, [startEvent]);
  await told;
  proxy.hang(true);
  const asked = expect(store.list()).rejects.toMatchObject({ code: "store-unreachable" });
  await store.close();
  await asked;
  await expect.poll(() => database.connections()).toBe(0);
}, 60_000);

test("a question without an answer is not asked again, one on a lost connection is", async () => {
  const { proxy, env } = await wayThere();
  const url = env.HOLDFAST_DATABASE_URL;
  const store = createPostgresStore({ url, project: "one", waits: { answer: 500 } });
  await store.list();
  proxy.loseAnswers();
  expect(await store.list()).toEqual([]);
  const before = proxy.made();
  proxy.hang(true);
  await expect(store.list()).rejects.toMatchObject({ data: { committed: "no", after: "timeout" } });
  expect(proxy.made()).toBe(before);
  await store.close();
});

test("a commit without an answer is sent again on one more connection, and not on a third", async () => {
  const { proxy, env } = await wayThere();
  const url = env.HOLDFAST_DATABASE_URL;
  const store = createPostgresStore({ url, project: "one", waits: { answer: 500, connect: 500 }, patience: 300_000 });
  // Past the proxy, so that no notice is on its way.
  const direct = createPostgresStore({ url: database.url, project: "one" });
  const first = await direct.append(startEvent.runId, 0, [startEvent]);
  await direct.close();
  await store.list();
  const before = proxy.made();
  proxy.hang(true);
  await expect(store.append(startEvent.runId, 1, [noted(2, "two")], first)).rejects.toMatchObject({
    code: "store-unreachable",
    data: { committed: "unknown", after: "timeout" },
  });
  expect(proxy.made() - before).toBe(1);
  await store.close();
}, 60_000);
