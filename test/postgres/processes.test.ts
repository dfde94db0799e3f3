import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bundleProgram } from "../../scripts/bundle-cli.ts";
import { type PostgresServer, plantedPassword, startPostgres } from "../../scripts/postgres-server.ts";
import { createCopiedStore } from "../../src/store/copied-store.ts";
import { copyJournal, plainJournal } from "../../src/store/journal-copy.ts";
import { createPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { type Commit, type CopiedCommit, readAll } from "../../src/store/store.ts";
import { templateFile } from "../../src/templates/hash.ts";
import { counted, times } from "../dose.ts";
import { startWorker, type Worker } from "../store/worker.ts";
import { at, makeDatabase } from "./database.ts";
import { type FaultyProxy, startProxy } from "./proxy.ts";

const run = "first-20260101_000000-aaaa";

let folder: string;
let workers: Worker[];
let cleanUp: (() => Promise<void>)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-pg-workers-"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  workers = [];
  cleanUp = [];
});
afterEach(async () => {
  for (const worker of workers) worker.process.kill("SIGKILL");
  for (const act of cleanUp.reverse()) await act();
  rmSync(folder, { recursive: true });
});

async function bundle(name: string): Promise<string> {
  const program = join(folder, `${name}.mjs`);
  await bundleProgram(program, `test/postgres/workers/${name}.ts`);
  return program;
}

function start(program: string, words: readonly string[]): Worker {
  const worker = startWorker(program, words);
  workers.push(worker);
  return worker;
}

test("of 32 processes that append the same version at once, exactly one wins, round after round", async () => {
  const rounds = counted(times({ quick: 15, long: 100, soak: 1_000 }));
  const database = await makeDatabase();
  cleanUp.push(database.drop);
  const program = await bundle("racing-writer");
  const names = Array.from({ length: 32 }, (_, n) => `writer-${n}`);
  for (const name of names) start(program, [database.url, run, name]);
  for (const worker of workers) expect(await worker.line()).toBe("ready");

  const winners: string[][] = [];
  for (let version = 1; version <= rounds; version++) {
    for (const worker of workers) worker.send(String(version));
    const answers = await Promise.all(workers.map((worker) => worker.line()));
    const won = answers.flatMap((each, index) =>
      each.startsWith("won ") ? [[names[index] ?? "", each.slice(4)]] : [],
    );
    expect(won).toHaveLength(1);
    expect(answers.filter((each) => each === "lost")).toHaveLength(31);
    winners.push(...won);
  }
  for (const worker of workers) worker.process.stdin?.end();
  for (const worker of workers) expect([await worker.end, worker.complaints()]).toEqual([[0, null], ""]);

  const store = createPostgresStore({ url: database.url, project: "race" });
  const commits = await readAll(store.read(run));
  await store.close();
  expect(commits.map(({ version }) => version)).toEqual(Array.from({ length: rounds }, (_, n) => n + 1));
  expect(commits.map((commit) => [markOf(commit), commit.id])).toEqual(winners);
  await expect.poll(() => database.connections()).toBe(0);
});

test.each([
  ["eight processes that write to one run", { processes: 8, runs: 1 }],
  ["three processes that write to twelve runs at once", { processes: 3, runs: 12 }],
])(
  "%s: nothing is lost or doubled while clients are killed, the server restarts and the network fails",
  async (_, given) => {
    const total = counted(times({ quick: 1_000, long: 1_000, soak: 10_000 }));
    const names = ["ann", "ben", "cat", "dan", "eve", "fay", "gus", "hal"].slice(0, given.processes);
    const runs = Array.from({ length: given.runs }, (_, n) => `run-20260101_000000-${n.toString().padStart(4, "0")}`);
    const each = Math.ceil(total / names.length / runs.length);
    const server = await startPostgres({ durable: false });
    cleanUp.push(server.stop);
    const database = await makeDatabase(server.url);
    const proxy = await startProxy(server.port);
    cleanUp.push(proxy.close);
    const url = at(database.url, { port: String(proxy.port) });
    const program = await bundle("steady-writer");
    const acknowledged: string[] = [];
    const faults = faultsOf(server, proxy, total);
    // Up to two processes on each machine, which share its folder.
    const rootOf = (name: string) => join(folder, `machine-${names.indexOf(name) >> 1}`, "runs");
    let complaints = "";
    let failing = Promise.resolve();

    /** Starts the process again whenever it is killed. */
    async function drive(name: string): Promise<void> {
      for (let code: number | null = null; code !== 0; ) {
        const worker = start(program, [url, rootOf(name), runs.join(","), name, String(each)]);
        worker.process.stdout?.setEncoding("utf8").on("data", (text: string) => {
          acknowledged.push(...text.trim().split("\n"));
          const fault = faults.take(acknowledged.length);
          if (fault !== undefined) failing = failing.then(() => fault(worker));
        });
        [code] = await worker.end;
        complaints += worker.complaints();
        if (code !== null && code !== 0) throw new Error(complaints);
      }
    }
    await Promise.all(names.map(drive));
    await failing;

    const store = createPostgresStore({ url: database.url, project: "chaos" });
    const stored: string[] = [];
    for (const run of runs) {
      const lines: CopiedCommit[] = [];
      for await (const commit of store.readLines(run)) lines.push(commit);
      for (const root of new Set(names.map(rootOf))) {
        // The last commits may be of another machine, and a copy is brought up to date when it is read.
        await readAll(createCopiedStore(store, { root, templateFile }).read(run));
        expect(plainJournal(copyJournal(root, run)?.commits ?? [])).toEqual(plainJournal(lines));
      }
      // Of each writer each text once, in its order.
      for (const name of names) {
        const marks = lines.map(markOf).filter((mark) => mark.startsWith(name));
        expect(marks).toEqual(Array.from({ length: each }, (_, n) => `${name} ${n + 1}`));
      }
      expect(lines).toHaveLength(names.length * each);
      stored.push(...lines.map((line) => `${run} ${markOf(line)}`));
      const [row] = await store.findRuns(run, 1);
      expect(row).toMatchObject({ version: lines.length, projected: lines.length, id: lines.at(-1)?.id });
      expect(row?.projection?.data).toBe(markOf(lines.at(-1) as CopiedCommit));
    }
    await store.close();
    // Nothing was acknowledged that is not there.
    expect(acknowledged.filter((mark) => !stored.includes(mark))).toEqual([]);
    const [{ transactions } = {}] = await database.query(
      "SELECT count(DISTINCT changed)::int AS transactions FROM holdfast.commits",
    );
    // Otherwise hardly any commit went with others, and several runs would show nothing new.
    if (runs.length > 1) expect(transactions).toBeLessThan(0.8 * stored.length);
    expect(faults.left()).toBe(0);
    expect(complaints).toContain("store-unreachable");
    expect(complaints).not.toContain(plantedPassword);
    for (const file of filesIn(folder)) expect(readFileSync(file).includes(plantedPassword)).toBe(false);
    await expect.poll(() => database.connections()).toBe(0);
  },
);

function markOf({ events: [event] }: Commit): string {
  return event?.type === "summary-set" ? String(event.summary) : "";
}

/** What the machines have written, without the program. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) =>
    entry.isFile() && !entry.name.endsWith(".mjs") ? [join(entry.parentPath, entry.name)] : [],
  );
}

type Fault = (worker: Worker) => Promise<void> | void;

/** Faults of every kind at even distances, and three restarts of the server among them, for each 1,000 advances. */
function faultsOf(server: PostgresServer, proxy: FaultyProxy, total: number) {
  const briefly = (begin: () => void, end: () => void) => {
    begin();
    return new Promise<void>((resolve) =>
      setTimeout(() => {
        end();
        resolve();
      }, 400),
    );
  };
  const network: Fault[] = [
    () => proxy.cut(),
    () => proxy.loseAnswers(),
    (worker) => void worker.process.kill("SIGKILL"),
    () => proxy.freeze(),
    () =>
      briefly(
        () => proxy.delay(150),
        () => proxy.delay(0),
      ),
    () => proxy.loseAnswers(),
    () =>
      briefly(
        () => {
          proxy.refuse(true);
          proxy.cut();
        },
        () => proxy.refuse(false),
      ),
    (worker) => void worker.process.kill("SIGKILL"),
  ];
  const restarts: Fault[] = [
    () => server.restart("fast"),
    () => server.restart("immediate"),
    async () => {
      await server.halt();
      await server.start();
    },
  ];
  const once = restarts.flatMap((restart) => [...network, restart]);
  const all = Array.from({ length: total / 1_000 }, () => once).flat();
  // What a killed process has stored without an acknowledgement is not counted.
  const distance = Math.floor((0.8 * total) / (all.length + 1));
  let taken = 0;
  return {
    take(count: number): Fault | undefined {
      if (taken === all.length || count < distance * (taken + 1)) return undefined;
      taken += 1;
      return all[taken - 1];
    },
    left: () => all.length - taken,
  };
}
