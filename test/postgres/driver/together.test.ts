import pg from "pg";
import { expect, test } from "vitest";
import type { RunEvent } from "../../../src/model/event.ts";
import { type Commit, type RunProjection, readAll, type SharedStore } from "../../../src/store/store.ts";
import { at as addressed } from "../database.ts";
import { at, noted } from "../events.ts";
import { startProxy } from "../proxy.ts";
import { useStores } from "./stores.ts";

// What one process has to store at the same time goes to the server together. To each of the callers it is a commit like any other.

const { database, open, closeAll } = useStores();

const odd = [
  "'; DROP SCHEMA holdfast CASCADE; --",
  '{"NULL",NULL,} \\ \\\\ "',
  "half a pair \ud800 and a NUL \0",
  "\u{1f680}\u2028\r\n\t\u0007",
  "NULL",
  "",
  "x".repeat(100_000),
];

function rowOf(text: string): RunProjection {
  return { status: "active", step: text, who: text, at, data: { [text]: [text] } };
}

const nameOf = (n: number) => `run-20260101_000000-${n.toString().padStart(4, "0")}`;

/** One commit each. */
async function start(store: SharedStore, count: number): Promise<Commit[]> {
  const commits: Commit[] = [];
  for (let n = 0; n < count; n++) commits.push(await store.append(nameOf(n), 0, [noted(1, "one")]));
  return commits;
}

function move(store: SharedStore, n: number, last: Commit, text: string): Promise<Commit> {
  const events: RunEvent[] = [noted(last.version + 1, text)];
  return store.append(nameOf(n), last.version, events, last, { projection: rowOf(text) });
}

async function transactions(): Promise<number> {
  const [row] = await database().query(
    "SELECT count(DISTINCT changed)::int AS n FROM holdfast.commits WHERE version > 1",
  );
  return Number(row?.n);
}

test("each commit has its own line and its own row in lists, whatever is in its texts", async () => {
  const store = open();
  const runs = (await start(store, 40)).map((first) => [first]);
  for (let round = 0; round < 5; round++) {
    const next = runs.map((commits, n) =>
      move(store, n, commits.at(-1) as Commit, odd[(n + round) % odd.length] ?? ""),
    );
    (await Promise.all(next)).forEach((commit, n) => void runs[n]?.push(commit));
  }
  for (const [n, commits] of runs.entries()) expect(await readAll(store.read(nameOf(n)))).toEqual(commits);
  const rows = await store.listRuns({ limit: 100 });
  expect(rows).toHaveLength(40);
  for (const { run, version, id, projected, projection } of rows) {
    const n = Number(run.slice(-4));
    expect({ version, id, projected }).toEqual({ version: 6, id: runs[n]?.at(-1)?.id, projected: 6 });
    expect(projection).toEqual(rowOf(odd[(n + 4) % odd.length] ?? ""));
  }
  expect(await store.listOutdated(5)).toEqual([]);
  // Long lines go alone, and so does the first of each round.
  expect(await transactions()).toBeLessThan(60);
});

test("of several commits of one version, one is stored and all others hear that it is taken", async () => {
  const store = open();
  const [first] = (await start(store, 1)) as [Commit];
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => move(store, 0, first, `writer ${n}`)));
  const won = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  expect(await readAll(store.read(nameOf(0)))).toEqual([first, ...won]);
  expect(won).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "version-conflict" });
  }
});

test.each([
  ["another commit than the last one", { id: "0".repeat(64) }],
  ["a version that is not there yet", { version: 2 }],
])("a commit that builds on %s is a conflict, and the others are stored", async (_, wrong) => {
  const store = open();
  const commits = await start(store, 12);
  const outcomes = await Promise.allSettled(
    commits.map((first, n) => move(store, n, n === 7 ? { ...first, ...wrong } : first, "two")),
  );
  for (const [n, outcome] of outcomes.entries()) {
    expect(outcome).toMatchObject(n === 7 ? { reason: { code: "version-conflict" } } : { value: { version: 2 } });
  }
  expect(await readAll(store.read(nameOf(7)))).toEqual([commits[7]]);
});

test("what the server rejects of one run does not keep the others from being stored", async () => {
  const store = open();
  const commits = await start(store, 12);
  // As after a restore of some tables only: the version is taken, although the run is not there yet.
  await database().query(
    "INSERT INTO holdfast.commits (project, run, version, id, line) VALUES ('one', $1, 2, 'x', '')",
    [nameOf(7)],
  );
  const outcomes = await Promise.allSettled(commits.map((first, n) => move(store, n, first, "two")));
  for (const [n, outcome] of outcomes.entries()) {
    expect(outcome).toMatchObject(n === 7 ? { reason: { code: "store-refused" } } : { value: { version: 2 } });
  }
});

test("what comes with a commit, and what its caller changes later, is not mixed up with the others", async () => {
  const sent: unknown[] = [];
  const store = open({
    sendJobs: async (_, jobs) => {
      sent.push(...jobs);
    },
  });
  const commits = await start(store, 12);
  const row = { ...rowOf("first"), data: "first" };
  const moves = commits.map((first, n) => {
    row.data = `data ${n}`;
    const more = { ...(n === 5 && { templates: [{ hash: "sha256:5", text: "five" }] }), ...(n === 6 && { jobs: [6] }) };
    return store.append(nameOf(n), 1, [noted(2, "two")], first, { projection: row, ...more });
  });
  await Promise.all(moves);
  expect(await store.readTemplate("sha256:5")).toBe("five");
  expect(sent).toEqual([6]);
  const rows = (await store.findRuns("run-", 20)).toReversed();
  expect(rows.map(({ projection }) => projection?.data)).toEqual(commits.map((_, n) => `data ${n}`));
});

test("a commit of a run that is gone stores nothing, and moves no run with its name in another project", async () => {
  const store = open();
  const commits = await start(store, 12);
  await database().query("UPDATE holdfast.runs SET project = 'two' WHERE run = $1", [nameOf(7)]);
  await database().query("DELETE FROM holdfast.commits WHERE run = $1", [nameOf(7)]);
  const outcomes = await Promise.allSettled(commits.map((first, n) => move(store, n, first, "two")));
  expect(outcomes[7]).toMatchObject({ reason: { code: "version-conflict" } });
  expect(await readAll(store.read(nameOf(7)))).toEqual([]);
  expect(await open({ project: "two" }).findRuns(nameOf(7), 1)).toMatchObject([{ version: 1 }]);
});

test("a run that somebody has locked keeps no other run waiting", async () => {
  const store = open();
  const commits = await start(store, 12);
  const locking = new pg.Client({ connectionString: database().url });
  await locking.connect();
  try {
    await locking.query("BEGIN");
    await locking.query("SELECT FROM holdfast.runs WHERE run = $1 FOR UPDATE", [nameOf(7)]);
    const moves = commits.map((first, n) => move(store, n, first, "two"));
    const [locked] = moves.splice(7, 1);
    expect(await Promise.all(moves)).toHaveLength(11);
    await locking.query("ROLLBACK");
    expect(await locked).toMatchObject({ version: 2 });
  } finally {
    await locking.end();
  }
});

test("commits whose acknowledgements are lost are found again by their ids", async () => {
  const proxy = await startProxy(Number(new URL(database().url).port));
  const url = addressed(database().url, { port: String(proxy.port) });
  const direct = open();
  const commits = await start(direct, 20);
  const store = open({ url, waits: { answer: 500 } });
  await Promise.all([store.list(), store.list()]);
  try {
    proxy.loseAnswers();
    const moved = await Promise.all(commits.map((first, n) => move(store, n, first, "two")));
    for (const [n, first] of commits.entries()) {
      expect(await readAll(direct.read(nameOf(n)))).toEqual([first, moved[n]]);
    }
  } finally {
    await closeAll();
    await proxy.close();
  }
});

test("where the server has no connection for a group, its commits take turns on those there are", async () => {
  const commits = await start(open(), 40);
  const role = `limited_${process.pid}`;
  await database().query(`
    CREATE ROLE ${role} LOGIN PASSWORD 'x' CONNECTION LIMIT 1;
    GRANT USAGE ON SCHEMA holdfast TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA holdfast TO ${role}`);
  try {
    const store = open({ url: addressed(database().url, { username: role, password: "x" }) });
    await store.list();
    const outcomes = await Promise.allSettled(commits.map((first, n) => move(store, n, first, "two")));
    const stored = outcomes.filter(({ status }) => status === "fulfilled");
    // Whoever asks for a second connection is refused.
    expect(stored.length).toBeGreaterThan(10);
  } finally {
    await closeAll();
    await database().query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});

test("a commit that never gets an answer does not keep the others from theirs", async () => {
  const proxy = await startProxy(Number(new URL(database().url).port));
  const url = addressed(database().url, { port: String(proxy.port) });
  const commits = await start(open(), 12);
  const store = open({ url, waits: { answer: 500 } });
  await Promise.all([store.list(), store.list()]);
  try {
    const silence = async (): Promise<void> => proxy.muteAt("unspeakable").then(silence);
    void silence();
    const moves = commits.map((first, n) => move(store, n, first, n === 7 ? "unspeakable" : "two"));
    for (const [n, outcome] of (await Promise.allSettled(moves)).entries()) {
      const unknown = { reason: { code: "store-unreachable", data: { committed: "unknown" } } };
      expect(outcome).toMatchObject(n === 7 ? unknown : { value: { version: 2 } });
    }
  } finally {
    await closeAll();
    await proxy.close();
  }
});

test("while no answer comes, what was not sent yet is refused after the wait for a connection, and not stored", async () => {
  const proxy = await startProxy(Number(new URL(database().url).port));
  const url = addressed(database().url, { port: String(proxy.port) });
  const direct = open();
  const commits = await start(direct, 3);
  const store = open({ url, waits: { connect: 500, answer: 2_000 }, patience: 0 });
  await Promise.all([store.list(), store.list()]);
  try {
    proxy.freeze();
    const under = [0, 1].map((n) => move(store, n, commits[n] as Commit, "two"));
    const settled = Promise.allSettled(under);
    // Until both have been sent.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const third = move(store, 2, commits[2] as Commit, "two");
    await expect(third).rejects.toMatchObject({ code: "store-unreachable", data: { committed: "no" } });
    for (const outcome of await settled) {
      expect(outcome).toMatchObject({ reason: { code: "store-unreachable", data: { committed: "unknown" } } });
    }
    // New connections work. Whatever still waited would go before this one, or with it.
    await Promise.all([0, 1].map((n) => move(store, n, commits[n] as Commit, "again")));
    expect(await readAll(direct.read(nameOf(2)))).toEqual([commits[2]]);
  } finally {
    await closeAll();
    await proxy.close();
  }
});
