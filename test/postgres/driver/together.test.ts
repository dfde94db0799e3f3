import pg from "pg";
import { expect, test } from "vitest";
import type { RunEvent } from "../../../src/model/event.ts";
import type { PostgresOptions } from "../../../src/store/postgres/postgres-store.ts";
import { type Commit, type RunProjection, readAll, type SharedStore } from "../../../src/store/store.ts";
import { at as addressed } from "../database.ts";
import { at, noted } from "../events.ts";
import { startProxy } from "../proxy.ts";
import { useStores } from "./stores.ts";

// Commits that wait in a store at the same time go to the server together. To each of the callers it is a commit like any other.

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

/** The run that differs from the others. */
const other = 7;

/** Of each run but the other one: its first commit, and the one that was acknowledged. */
async function expectRestStored(
  store: SharedStore,
  commits: readonly Commit[],
  outcomes: readonly PromiseSettledResult<Commit>[],
): Promise<void> {
  for (const [n, outcome] of outcomes.entries()) {
    if (n === other) continue;
    expect(outcome).toMatchObject({ status: "fulfilled" });
    if (outcome.status === "fulfilled")
      expect(await readAll(store.read(nameOf(n)))).toEqual([commits[n], outcome.value]);
  }
}

/** Runs with one commit each, and a store with two connections to them that can fail. */
async function behindProxy(count: number, options: Partial<PostgresOptions> = {}) {
  const proxy = await startProxy(Number(new URL(database().url).port));
  const url = addressed(database().url, { port: String(proxy.port) });
  const direct = open();
  const commits = await start(direct, count);
  const store = open({ url, waits: { answer: 500 }, ...options });
  await Promise.all([store.list(), store.list()]);
  return { proxy, store, direct, commits };
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
    commits.map((first, n) => move(store, n, n === other ? { ...first, ...wrong } : first, "two")),
  );
  expect(outcomes[other]).toMatchObject({ reason: { code: "version-conflict" } });
  expect(await readAll(store.read(nameOf(other)))).toEqual([commits[other]]);
  await expectRestStored(store, commits, outcomes);
});

test("a commit that the server rejects does not keep the others from being stored", async () => {
  const store = open();
  const commits = await start(store, 12);
  // As after a restore of some tables only: the version is taken, although the run is not there yet.
  await database().query(
    "INSERT INTO holdfast.commits (project, run, version, id, line) VALUES ('one', $1, 2, 'x', '')",
    [nameOf(other)],
  );
  const outcomes = await Promise.allSettled(commits.map((first, n) => move(store, n, first, "two")));
  expect(outcomes[other]).toMatchObject({ reason: { code: "store-refused" } });
  await expectRestStored(store, commits, outcomes);
});

test.each([2 ** 31, 1.5])("a commit behind version %s is refused, and the others are stored", async (version) => {
  const store = open();
  const commits = await start(store, 12);
  const outcomes = await Promise.allSettled(
    commits.map((first, n) => move(store, n, n === other ? { ...first, version } : first, "two")),
  );
  expect(outcomes[other]).toMatchObject({ reason: { code: "store-refused" } });
  expect(await readAll(store.read(nameOf(other)))).toEqual([commits[other]]);
  await expectRestStored(store, commits, outcomes);
});

test("templates, jobs and rows stay with their own commit, even if the caller changes the row afterwards", async () => {
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
  await database().query("UPDATE holdfast.runs SET project = 'two' WHERE run = $1", [nameOf(other)]);
  await database().query("DELETE FROM holdfast.commits WHERE run = $1", [nameOf(other)]);
  const outcomes = await Promise.allSettled(commits.map((first, n) => move(store, n, first, "two")));
  expect(outcomes[other]).toMatchObject({ reason: { code: "version-conflict" } });
  expect(await readAll(store.read(nameOf(other)))).toEqual([]);
  expect(await open({ project: "two" }).findRuns(nameOf(other), 1)).toMatchObject([{ version: 1 }]);
  await expectRestStored(store, commits, outcomes);
});

test("a run that somebody has locked keeps no other run waiting", async () => {
  const store = open();
  const commits = await start(store, 12);
  const locking = new pg.Client({ connectionString: database().url });
  await locking.connect();
  try {
    await locking.query("BEGIN");
    await locking.query("SELECT FROM holdfast.runs WHERE run = $1 FOR UPDATE", [nameOf(other)]);
    const moves = commits.map((first, n) => move(store, n, first, "two"));
    await Promise.all(moves.toSpliced(other, 1));
    await locking.query("ROLLBACK");
    await expectRestStored(store, commits, await Promise.allSettled(moves));
    expect(await moves[other]).toMatchObject({ version: 2 });
  } finally {
    await locking.end();
  }
});

test("commits whose acknowledgements are lost are found again by their ids", async () => {
  const { proxy, store, direct, commits } = await behindProxy(20);
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

test("a group that gets no connection does not take its commits with it", async () => {
  const direct = open();
  const commits = await start(direct, 40);
  const role = `limited_${process.pid}`;
  await database().query(`
    CREATE ROLE ${role} LOGIN PASSWORD 'x' CONNECTION LIMIT 1;
    GRANT USAGE ON SCHEMA holdfast TO ${role};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA holdfast TO ${role}`);
  try {
    const store = open({ url: addressed(database().url, { username: role, password: "x" }) });
    await store.list();
    const outcomes = await Promise.allSettled(commits.map((first, n) => move(store, n, first, "two")));
    // Alone, each takes the connection that there is, or is refused a second one.
    const refused = outcomes.filter(({ status }) => status === "rejected");
    for (const one of refused) {
      expect(one).toMatchObject({ reason: { code: "store-unreachable", data: { committed: "no" } } });
    }
    const moved = (await direct.findRuns("run-", 40)).filter(({ version }) => version === 2);
    expect(moved).toHaveLength(40 - refused.length);
    expect(moved.length).toBeGreaterThan(10);
  } finally {
    await closeAll();
    await database().query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});

test("a commit that never gets an answer does not keep the others from theirs", async () => {
  const { proxy, store, direct, commits } = await behindProxy(12);
  try {
    const silence = async (): Promise<void> => proxy.muteAt("unspeakable").then(silence);
    void silence();
    const moves = commits.map((first, n) => move(store, n, first, n === other ? "unspeakable" : "two"));
    const outcomes = await Promise.allSettled(moves);
    expect(outcomes[other]).toMatchObject({ reason: { code: "store-unreachable", data: { committed: "unknown" } } });
    await expectRestStored(direct, commits, outcomes);
  } finally {
    await closeAll();
    await proxy.close();
  }
});

test("while those under way get no answer, the next commit is sent on another connection", async () => {
  const { proxy, store, commits } = await behindProxy(3, { waits: { answer: 60_000 } });
  const [first, second, third] = commits as [Commit, Commit, Commit];
  try {
    proxy.freeze();
    const unanswered = Promise.allSettled([move(store, 0, first, "two"), move(store, 1, second, "two")]);
    // Until both have been sent.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(await move(store, 2, third, "two")).toMatchObject({ version: 2 });
    proxy.cut();
    expect(await unanswered).toMatchObject([{ value: { version: 2 } }, { value: { version: 2 } }]);
  } finally {
    await closeAll();
    await proxy.close();
  }
});
