import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileStore } from "../../src/store/file-store.ts";
import { readAll } from "../../src/store/store.ts";
import { counted, times } from "../dose.ts";
import { makeFolder, run, startProject } from "./project.ts";
import { bundleWorker, startWorker, type Worker } from "./worker.ts";

const names = ["ann", "ben", "cat", "dan", "eve", "fay", "gus", "hal"];

let folder: string;
let remove: () => void;
let workers: Worker[];

beforeEach(() => {
  ({ folder, remove } = makeFolder());
  workers = [];
});
afterEach(() => {
  for (const worker of workers) worker.process.kill("SIGKILL");
  remove();
});

async function startAll(program: string, words: readonly string[]): Promise<void> {
  workers = names.map((name) => startWorker(program, [...words, name]));
  for (const worker of workers) expect(await worker.line()).toBe("ready");
}

/** Says the same to all at once, and hears what each of them says to it. */
function ask(line: string): Promise<string[]> {
  for (const worker of workers) worker.send(line);
  return Promise.all(workers.map((worker) => worker.line()));
}

async function endAll(): Promise<void> {
  for (const worker of workers) worker.process.stdin?.end();
  for (const worker of workers) expect([await worker.end, worker.complaints()]).toEqual([[0, null], ""]);
}

test("of eight processes that append the same version at once, exactly one wins, round after round", async () => {
  const rounds = counted(times({ quick: 40, long: 500, soak: 5_000 }));
  const root = join(folder, "runs");
  await startAll(await bundleWorker(folder, "racing-writer"), [root, run]);
  const winners: [string, string][] = [];
  for (let version = 1; version <= rounds; version++) {
    const answers = await ask(String(version));
    const won = answers.flatMap((answer, index) =>
      answer.startsWith("won ") ? [[names[index], answer.slice(4)]] : [],
    );
    expect(won).toHaveLength(1);
    expect(answers.filter((answer) => answer === "lost")).toHaveLength(7);
    winners.push(won[0] as [string, string]);
  }

  const commits = await readAll(createFileStore(root).read(run));
  expect(commits.map(({ version }) => version)).toEqual(Array.from({ length: rounds }, (_, index) => index + 1));
  expect(commits.map(({ events, id }) => [events[0]?.type === "summary-set" && events[0].summary, id])).toEqual(
    winners,
  );

  const history = commits.map(({ id }) => id).join(" ");
  expect(await ask("history")).toEqual(names.map(() => history));
  await endAll();
  expect(readdirSync(join(root, run))).toEqual(["journal.jsonl"]);
});

test("of eight agents that advance the same visit at once, exactly one does and the others are told, round after round", async () => {
  const rounds = counted(times({ quick: 25, long: 200, soak: 1_000 }));
  const { runId, token, open, at } = await startProject(folder, rounds);
  await startAll(await bundleWorker(folder, "racing-agent"), [folder, runId]);
  const winners: string[] = [];
  let next = token;
  for (let round = 1; round <= rounds; round++) {
    const answers = await ask(next);
    const winner = answers.findIndex((answer) => answer.startsWith("won "));
    expect(answers.toSpliced(winner, 1)).toEqual(Array.from({ length: 7 }, () => "refused step-stale"));
    winners.push(`by ${names[winner]}`);
    next = answers[winner]?.slice(4) ?? "";
  }
  await endAll();

  const deps = open();
  const outputs: string[] = [];
  for await (const { events } of deps.store.read(runId)) {
    outputs.push(...events.flatMap((event) => (event.type === "visit-ended" ? [event.output] : [])));
  }
  expect(outputs).toEqual(winners);
  expect((await deps.journal.load(runId))?.run.last?.step).toBe("parts");
  const template = expect.stringMatching(/^template-[0-9a-f]{16}\.json$/);
  expect(readdirSync(at("")).sort()).toEqual(["journal.jsonl", "past", "snapshot.json", template]);
  const others = readdirSync(at("past")).filter((name) => !/^\d+\.json$/.test(name));
  expect(others).toEqual([]);
});
