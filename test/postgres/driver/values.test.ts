import { beforeEach, describe, expect, test } from "vitest";
import type { RunEvent } from "../../../src/model/event.ts";
import type { PostgresOptions } from "../../../src/store/postgres/postgres-store.ts";
import { type Commit, type RunProjection, readAll } from "../../../src/store/store.ts";
import { useStores } from "./stores.ts";

const at = "2026-01-01T00:00:00.000Z";
const run = "first-20260101_000000-aaaa";

const { database, open } = useStores();

function noted(seq: number, summary: string): RunEvent {
  return { seq, at, type: "summary-set", summary };
}

function rowOf(status: string, more: Partial<RunProjection> = {}): RunProjection {
  return { status, step: "plan", who: "Ada", at, data: null, ...more };
}

const hostile = [
  "'; DROP SCHEMA holdfast CASCADE; --",
  '"; SELECT pg_sleep(10); "',
  "$1 $$ \\x00 %s {a,b} (1,2)",
  "half a pair \ud800 and a NUL \0",
  "\u{1f680}\u2028\r\n\t\u0007",
];

test.each(hostile)("a project, a run's texts and a template hold %j and nothing else changes", async (text) => {
  // A name of a project has no control characters.
  const store = open({ project: text.replaceAll(/\p{Cc}|\p{Cs}/gu, "") });
  const projection = rowOf(text, { step: text, who: text, at: text, data: { [text]: [text] } });
  const first = await store.append(run, 0, [noted(1, text)], undefined, {
    projection,
    templates: [{ hash: "sha256:1", text: JSON.stringify(text) }],
  });
  // JSON spells out half a pair, and reading gives it back.
  expect(await readAll(store.read(run))).toEqual([first]);
  expect(first.events).toEqual([noted(1, text)]);
  expect(await store.listRuns({ limit: 5 })).toEqual([{ run, version: 1, id: first.id, projection, projected: 1 }]);
  expect(await store.listRuns({ limit: 5, status: [text] })).toHaveLength(1);
  expect(await store.readTemplate("sha256:1")).toBe(JSON.stringify(text));
  expect(await open({ project: "another" }).list()).toEqual([]);
});

test("a name that no project can have is refused before anything is sent", () => {
  for (const project of ["", "  ", "a\0b", "a\nb", "half \ud800", "x".repeat(201)]) {
    expect(() => open({ project })).toThrow("a project has a name of 1 to 200 characters");
  }
});

test("a commit of 20 megabytes is stored and read, and one beyond the limit is refused", async () => {
  const store = open();
  const long = "é\0".repeat(2_500_000);
  const first = await store.append(run, 0, [noted(1, long)]);
  await store.append(run, 1, [noted(2, "short")], first);
  const [read, second] = await readAll(store.read(run));
  expect(read?.events).toEqual([noted(1, long)]);
  expect(second?.version).toBe(2);
  const tooLong = store.append(run, 2, [noted(3, "x".repeat(65 * 1024 * 1024))]);
  await expect(tooLong).rejects.toMatchObject({ code: "file-unwritable" });
  expect(await store.isStillAt(run, { version: 2, id: second?.id ?? "" })).toBe(true);
});

test("long journals are read in pages, from any version on", async () => {
  const store = open();
  let last: Commit | undefined;
  for (let n = 0; n < 1_100; n++) last = await store.append(run, n, [noted(n + 1, `n${n}`)], last);
  const all = await readAll(store.read(run));
  expect(all.map(({ version }) => version)).toEqual(Array.from({ length: 1_100 }, (_, n) => n + 1));
  expect(await readAll(store.read(run, { version: 600 }))).toEqual(all.slice(599));
});

describe("projections", () => {
  test("runs are listed newest first, by status, and page after page", async () => {
    const store = open();
    const name = (n: number) => `run-20260101_000000-${n.toString().padStart(4, "0")}`;
    for (let n = 0; n < 40; n++) {
      const projection = rowOf(["active", "paused", "completed"][n % 3] ?? "", {
        at: `2026-01-01T00:00:${10 + (n >> 1)}`,
      });
      await store.append(name(n), 0, [noted(1, "one")], undefined, { projection });
    }
    const all = await store.listRuns({ limit: 100 });
    const expected = Array.from({ length: 40 }, (_, n) => n).sort((a, b) => (b >> 1) - (a >> 1) || a - b);
    expect(all.map((each) => each.run)).toEqual(expected.map(name));

    const paged: string[] = [];
    for (let page = await store.listRuns({ limit: 7 }); page.length > 0; ) {
      paged.push(...page.map((each) => each.run));
      const last = page.at(-1);
      page = await store.listRuns({ limit: 7, after: { at: last?.projection?.at ?? "", run: last?.run ?? "" } });
    }
    expect(paged).toEqual(all.map((each) => each.run));

    const some = await store.listRuns({ limit: 100, status: ["completed", "paused", "paused"] });
    expect(some.map((each) => each.run)).toEqual(
      all.filter(({ projection }) => projection?.status !== "active").map((each) => each.run),
    );
  });

  test("a list is read from the index, however many runs there are", async () => {
    await database().query(
      `INSERT INTO holdfast.runs (project, run, version, head, projected, status, at)
       SELECT 'one', n::text, 1, '', 1, (ARRAY['active', 'ended'])[1 + n % 2],
              to_char(timestamp '2026-01-01' + n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.000Z')
       FROM generate_series(1, 20000) AS n`,
    );
    await database().query("VACUUM ANALYZE holdfast.runs");
    const store = open();
    const before = await rowsRead();
    expect(await store.listRuns({ limit: 50 })).toHaveLength(50);
    expect(await store.listRuns({ limit: 50, status: ["ended"] })).toHaveLength(50);
    await store.close();
    expect((await rowsRead()) - before).toBeLessThan(1_000);
  });

  test("an append writes the row of its run in place and reads no other one, also as planned while there were few", async () => {
    const store = open({ connections: 1 });
    let last = await store.append("a-20260101_000000-aaaa", 0, [noted(1, "one")], undefined, { projection: row("0") });
    const append = async () => {
      const { version } = last;
      const projection = row(String(version % 10));
      last = await store.append("a-20260101_000000-aaaa", version, [noted(version + 1, "x")], last, { projection });
    };
    for (let n = 0; n < 10; n++) await append();
    await database().query(
      `INSERT INTO holdfast.runs (project, run, version, head, projected, status, at)
       SELECT 'one', n::text, 1, '', 1, 'active', '' FROM generate_series(1, 5000) AS n`,
    );
    for (let n = 0; n < 10; n++) await append();
    await store.close();
    expect(await rowsRead()).toBeLessThan(1_000);
    expect(await counted("n_tup_hot_upd")).toBeGreaterThan(15);
  });

  /** As the row of a run that is not at an end, and moves within one hour. */
  function row(minute: string): RunProjection {
    return { status: "active", step: "s", who: "Ada", at: `2026-01-01T00:0${minute}:00.000Z`, data: {} };
  }

  const rowsRead = () => counted("seq_tup_read + idx_tup_fetch");

  async function counted(what: string): Promise<number> {
    await database()
      .query("SELECT pg_stat_force_next_flush()")
      .catch(() => {});
    // What a connection has done is counted when it ends.
    while ((await database().connections()) > 0);
    const [ended] = await database().query("SELECT clock_timestamp()::text AS at");
    for (;;) {
      // PostgreSQL 14 answers from a file that may be older; later ones have none, and no time of it.
      const [row] = await database().query(
        `SELECT ${what} AS n, coalesce(pg_stat_get_snapshot_timestamp() > $1, true) AS is_current
         FROM pg_stat_user_tables WHERE relname = 'runs'`,
        [ended?.at],
      );
      if (row?.is_current === true) return Number(row.n);
    }
  }

  test("a projection that is out of date is known, and saved only for the last commit", async () => {
    const store = open();
    const first = await store.append(run, 0, [noted(1, "one")], undefined, { projection: rowOf("active") });
    expect(await store.listOutdated(5)).toEqual([]);
    const second = await store.append(run, 1, [noted(2, "two")], first);
    expect(await store.listOutdated(5)).toEqual([{ run, version: 2, id: second.id }]);
    expect((await store.listRuns({ limit: 1 }))[0]).toMatchObject({ projected: 1, projection: rowOf("active") });
    expect(await store.saveProjection(run, first, rowOf("old"))).toBe(false);
    expect(await store.saveProjection(run, second, rowOf("paused"))).toBe(true);
    expect(await store.listOutdated(5)).toEqual([]);
    expect((await store.listRuns({ limit: 1 }))[0]).toMatchObject({ projected: 2, projection: rowOf("paused") });
  });

  test("what comes with a commit that lost leaves no trace", async () => {
    const store = open();
    await store.append(run, 0, [noted(1, "one")], undefined, { projection: rowOf("active") });
    const templates = [{ hash: "sha256:lost", text: "lost" }];
    const lost = store.append(run, 0, [noted(1, "lost")], undefined, { projection: rowOf("lost"), templates });
    await expect(lost).rejects.toMatchObject({ code: "version-conflict" });
    expect(await store.readTemplate("sha256:lost")).toBe(null);
    expect((await store.listRuns({ limit: 1 }))[0]?.projection?.status).toBe("active");
  });

  test("the first template with a hash stays, each project for itself", async () => {
    const store = open();
    const first = await store.append(run, 0, [noted(1, "one")], undefined, {
      templates: [{ hash: "sha256:1", text: "first" }],
    });
    await store.append(run, 1, [noted(2, "two")], first, { templates: [{ hash: "sha256:1", text: "second" }] });
    expect(await store.readTemplate("sha256:1")).toBe("first");
    expect(await open({ project: "another" }).readTemplate("sha256:1")).toBe(null);
  });
});

describe("jobs", () => {
  const sendJobs: PostgresOptions["sendJobs"] = async (execute, jobs) => {
    for (const job of jobs) await execute("INSERT INTO jobs VALUES ($1)", [JSON.stringify(job)]);
  };

  async function jobs(): Promise<unknown[]> {
    return (await database().query("SELECT job FROM jobs ORDER BY job::text")).map(({ job }) => job);
  }

  beforeEach(() => database().query("CREATE TABLE jobs (job json NOT NULL)"));

  test("are sent with the commit, or neither is stored", async () => {
    const store = open({ sendJobs });
    const first = await store.append(run, 0, [noted(1, "one")], undefined, { jobs: [{ visit: 1 }, { visit: 2 }] });
    expect(await jobs()).toEqual([{ visit: 1 }, { visit: 2 }]);
    const late = store.append(run, 0, [noted(1, "late")], undefined, { jobs: [{ visit: 3 }] });
    await expect(late).rejects.toMatchObject({ code: "version-conflict" });

    const broken = open({
      sendJobs: async (execute, all) => {
        await sendJobs?.(execute, all);
        throw new Error("the queue is broken");
      },
    });
    const failing = broken.append(run, 1, [noted(2, "two")], first, { jobs: [{ visit: 4 }] });
    await expect(failing).rejects.toThrow("the queue is broken");
    const refused = open({ sendJobs: async (execute) => void (await execute("SELECT 1/0", [])) });
    const dividing = refused.append(run, 1, [noted(2, "two")], first, { jobs: [{ visit: 5 }] });
    await expect(dividing).rejects.toMatchObject({ code: "store-refused" });

    expect(await jobs()).toEqual([{ visit: 1 }, { visit: 2 }]);
    expect(await readAll(store.read(run))).toEqual([first]);
  });

  test("are not dropped in silence by a store that cannot send them", async () => {
    const store = open();
    const append = store.append(run, 0, [noted(1, "one")], undefined, { jobs: [{ visit: 1 }] });
    await expect(append).rejects.toThrow("without a way to send jobs");
    expect(await store.list()).toEqual([]);
  });
});
