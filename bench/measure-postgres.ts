// What the store in PostgreSQL costs beside the least that a durable change costs there: a bare INSERT. Started by run.ts.
import pg from "pg";
import { startPostgres } from "../scripts/postgres-server.ts";
import type { RunEvent } from "../src/model/event.ts";
import { createPostgresStore, migratePostgres } from "../src/store/postgres/postgres-store.ts";
import type { Commit, RunProjection, SharedStore, Store } from "../src/store/store.ts";
import { type Aim, median, report, timed } from "./report.ts";
import { startSharedRun, startSharedRuns } from "./shared-advance.ts";

const rounds = Number(process.env.HOLDFAST_BENCH_ROUNDS ?? 7);
const appends = 100;
const writers = 16;
/** For the throughput of all writers, in milliseconds. */
const span = 1_500;
/** Rounds that do not count: whoever writes that much does so for long, and it takes Node so many to compile all of an advance. */
const roundsToWarmUp = 3;
/** More than a run gets through in that time: a task takes two advances. */
const mostTasks = 3_000;
const at = "2026-01-01T00:00:00.000Z";

/**
 * How much longer a flush takes than on this disk, in milliseconds: it may take next to nothing here, one on network storage,
 * and five where another server has to have it, too.
 */
const delays = { oneWriter: [0, 1], manyWriters: [0, 5] };

const server = await startPostgres({ durable: true });
const pool = new pg.Pool({ connectionString: server.url, max: writers });
// Nobody waits for what becomes of an idle connection.
pool.on("error", () => {});
const open = (project: string, connections = writers) => createPostgresStore({ url: server.url, project, connections });
try {
  await migratePostgres({ url: server.url });
  await pool.query("CREATE TABLE floor (id bigserial PRIMARY KEY, line bytea NOT NULL)");
  const advances: Aim[] = [];
  for (const delay of delays.oneWriter) advances.push(...(await latency(delay)));
  for (const delay of delays.manyWriters) advances.push(...(await throughput(delay)));
  await delayFlushes(0);
  process.exitCode = report([...advances, await listing()]) ? 0 : 1;
} finally {
  await pool.end();
  await server.stop();
}

/** For all connections. */
async function delayFlushes(millis: number): Promise<void> {
  await pool.query("ALTER SYSTEM SET commit_siblings = 0");
  await pool.query(`ALTER SYSTEM SET commit_delay = ${millis * 1_000}`);
  await pool.query("SELECT pg_reload_conf()");
}

interface Writer {
  /** As many bytes as the line of a commit has. */
  insert(): Promise<unknown>;
  append(): Promise<unknown>;
}

function createWriter(store: Store, name: string): Writer {
  const run = `bench-20260101_000000-${name}`;
  let last: Commit | undefined;
  return {
    insert: () =>
      pool.query({ name: "floor", text: "INSERT INTO floor (line) VALUES ($1)", values: [Buffer.alloc(600, "x")] }),
    async append() {
      const version = last?.version ?? 0;
      last = await store.append(run, version, [eventOf(version)], last, { projection: rowOf(run, version) });
    },
  };
}

/** About 400 bytes, as the events of an advance have. */
function eventOf(version: number): RunEvent {
  return { seq: version + 1, at, type: "summary-set", summary: "What was done in this step. ".repeat(12) };
}

function rowOf(run: string, version: number): RunProjection {
  const data = { workflow: "bench", summary: "One of many runs", worktree: "main", startedAt: at, sessions: [run] };
  return { status: "active", step: `step-${version % 7}`, who: "Ada", at: new Date().toISOString(), data };
}

/** One writer, one after the other, in turns. As in bench:engine, an advance is the engine with its durable append, or all of the app. */
async function latency(delay: number): Promise<Aim[]> {
  await delayFlushes(delay);
  const store = open(`latency ${delay}`);
  const { insert, append } = createWriter(store, "aaaa");
  // A task takes two advances, and there are two in a round.
  const run = await startSharedRun(server.url, rounds * appends);
  const times: Readonly<Record<"floor" | "append" | "engine" | "app", number>>[] = [];
  for (let n = 0; n < rounds * appends; n++) {
    const row = {
      floor: await timed(insert),
      append: await timed(append),
      engine: await timed(await run.prepare("engine")),
      app: await timed(await run.prepare("app")),
    };
    if (n >= appends) times.push(row);
  }
  await run.close();
  await store.close();
  const of = (side: keyof (typeof times)[number]) => median(times.map((row) => row[side]));
  const cell = (side: "append" | "engine" | "app") =>
    `${of(side).toFixed(0)} µs, ${(of(side) / of("floor")).toFixed(2)}`;
  const rows = [
    ["INSERT", "append", "engine, append and local copy", "through the app"],
    [`${of("floor").toFixed(0)} µs`, cell("append"), cell("engine"), cell("app")],
  ];
  const name = `an acknowledged advance against a bare INSERT, on ${diskWith(delay)}`;
  return [
    { name, rows, value: of("engine") / of("floor"), most: 2 },
    { name: `${name}, through the app`, rows, value: of("app") / of("floor"), most: 2 },
  ];
}

function diskWith(delay: number): string {
  return delay === 0 ? "this disk" : `a disk that takes ${delay} ms longer`;
}

/**
 * One store groups its commits, and so do the advances of one process. A store for each writer stands for separate processes;
 * that has no aim.
 */
async function throughput(delay: number): Promise<Aim[]> {
  await delayFlushes(delay);
  const store = open(`throughput ${delay}`);
  const many = Array.from({ length: writers }, () => open(`throughput ${delay}`, 1));
  const together = many.map((_, n) => createWriter(store, `t${n.toString().padStart(3, "0")}`));
  const apart = many.map((each, n) => createWriter(each, `a${n.toString().padStart(3, "0")}`));
  const results: Readonly<Record<"floor" | "advance" | "append" | "apart", number>>[] = [];
  for (let round = 0; round < roundsToWarmUp + rounds; round++) {
    const runs = await startSharedRuns(server.url, writers, mostTasks);
    const row = {
      floor: await countIn(together.map(({ insert }) => insert)),
      advance: await countIn(runs.advances),
      append: await countIn(together.map(({ append }) => append)),
      apart: await countIn(apart.map(({ append }) => append)),
    };
    await runs.close();
    if (round >= roundsToWarmUp) results.push(row);
  }
  for (const each of [store, ...many]) await each.close();
  const cell = (count: number, floor: number) =>
    `${Math.round((count * 1_000) / span)} per second, ${(count / floor).toFixed(2)}`;
  const rows = [
    ["INSERT", "engine, append and local copy", "append, all in one process", "append, a connection each"],
    ...results.map(({ floor, advance, append, apart: alone }) => [
      `${Math.round((floor * 1_000) / span)} per second`,
      ...[advance, append, alone].map((count) => cell(count, floor)),
    ]),
  ];
  const aim = (side: "advance" | "append"): Aim => ({
    name: `INSERTs per ${side} with ${writers} writers at once, on ${diskWith(delay)}`,
    rows,
    value: median(results.map((row) => row.floor / row[side])),
    most: 1.67,
  });
  return [aim("advance"), aim("append")];
}

async function countIn(acts: readonly (() => Promise<unknown>)[]): Promise<number> {
  const until = performance.now() + span;
  let count = 0;
  const repeat = async (act: () => Promise<unknown>) => {
    for (; performance.now() < until; count++) await act();
  };
  await Promise.all(acts.map(repeat));
  return count;
}

/** The newest 50 runs, of all and of those in one state. */
async function listing(): Promise<Aim> {
  const sides = await Promise.all([100, 100_000].map(fill));
  const filters = [{ limit: 50 }, { limit: 50, status: ["waiting", "paused"] }];
  const times: number[][] = [];
  for (let n = 0; n < rounds * 20; n++) {
    const row: number[] = [];
    for (const store of sides) {
      row.push(await timed(() => Promise.all(filters.map((filter) => store.listRuns(filter)))));
    }
    if (n >= 20) times.push(row);
  }
  for (const store of sides) await store.close();
  const [few = 0, many = 0] = [0, 1].map((side) => median(times.map((row) => row[side] ?? Number.NaN)));
  const rows = [
    ["100 runs", "100,000 runs"],
    [`${few.toFixed(0)} µs`, `${many.toFixed(0)} µs`],
  ];
  return { name: "listing the newest of 100,000 runs against 100", rows, value: many / few, most: 2 };
}

/** Writes the rows past the store: appending that many takes minutes. Every five minutes one run was the last to move. */
async function fill(count: number): Promise<SharedStore> {
  const project = `${count} runs`;
  await pool.query(
    `INSERT INTO holdfast.runs (project, run, version, head, projected, status, step, who, at, projection)
     SELECT $1, 'bench-20260101_000000-' || n, 1, 'none', 1,
            (ARRAY['active', 'waiting', 'paused', 'completed'])[1 + n % 4], 'step', 'Ada',
            to_char(timestamp '2026-01-01' + n * interval '5 minutes', 'YYYY-MM-DD"T"HH24:MI:SS.000Z'),
            json_build_object('status', 'active', 'step', 'step', 'who', 'Ada', 'at', n::text, 'data', $3::json)
     FROM generate_series(1, $2::integer) AS n`,
    [project, count, JSON.stringify(rowOf("bench", 1).data)],
  );
  await pool.query("ANALYZE holdfast.runs");
  return open(project);
}
