import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCheckedJournal } from "../../src/journal/checked-journal.ts";
import type { Deps } from "../../src/operation/operation.ts";
import { type Commit, readAll } from "../../src/store/store.ts";
import { counted, seed, times } from "../dose.ts";
import { advance, makeFolder, type Project, startProject } from "../store/project.ts";
import { bundleWorker, startWorker } from "../store/worker.ts";

const lanes = 2;
/** A run lives through several kills, and each lane has several runs. */
const killsOfRun = times({ quick: 4, long: 10, soak: 10 });
const writerRuns = times({ quick: 1, long: 2, soak: 40 });
const largeRuns = times({ quick: 1, long: 1, soak: 100 });
const agentRuns = times({ quick: 1, long: 2, soak: 40 });

let folder: string;
let remove: () => void;

beforeEach(() => {
  ({ folder, remove } = makeFolder());
});
afterEach(() => remove());

test.each([1, 2])(
  `a writer killed at any moment, ${lanes * writerRuns * killsOfRun} times, loses nothing it acknowledged, and the next goes on (%i)`,
  async (round) => {
    const program = await bundleWorker(folder, "busy-writer");
    await inLanes(round, async (place, random) => {
      for (let runs = 0; runs < writerRuns; runs++) {
        const project = await startProject(place(runs));
        const root = join(project.folder, ".holdfast", "runs");
        const victim = { program, words: () => [root, project.runId], kills: killsOfRun, random };
        await killOften(project, victim, (commits) => commits.length);
      }
    });
  },
);

// In one lane: what one lane reads back would keep the other from killing in time.
test.each([1, 2])(
  `a writer of large commits killed at any moment, ${largeRuns * killsOfRun} times, loses nothing it acknowledged, and the next goes on (%i)`,
  async (round) => {
    const program = await bundleWorker(folder, "busy-writer");
    const random = randomOf(seed + 40 + round);
    for (let runs = 0; runs < largeRuns; runs++) {
      const project = await startProject(makePlace(`${runs}`));
      const root = join(project.folder, ".holdfast", "runs");
      const words = () => [root, project.runId, "large"];
      await killOften(project, { program, words, kills: killsOfRun, random, longest: 20 }, (commits) => commits.length);
      rmSync(project.folder, { recursive: true });
    }
  },
);

test(`an agent killed at any moment, ${lanes * agentRuns * killsOfRun} times, loses no advance that it was told of, and does none twice`, async () => {
  const program = await bundleWorker(folder, "busy-agent");
  await inLanes(3, async (place, random) => {
    for (let runs = 0; runs < agentRuns; runs++) {
      const project = await startProject(place(runs));
      const words = (done: number) => [project.folder, project.runId, String(done + 1)];
      await killOften(project, { program, words, kills: killsOfRun, random }, (commits, where) => {
        const outputs = commits.flatMap(({ events }) => events.filter((event) => event.type === "visit-ended"));
        const numbers = outputs.map(({ output }) => Number.parseInt(output, 10));
        expect(numbers, where).toEqual(numbers.map((_, index) => index + 1));
        return numbers.length;
      });
    }
  });
});

/** Chance gives each lane its own row of numbers, so that both may work at once and be repeated all the same. */
async function inLanes(
  round: number,
  work: (place: (runs: number) => string, random: () => number) => Promise<void>,
): Promise<void> {
  const lane = (number: number) => work((runs) => makePlace(`${number}-${runs}`), randomOf(seed + 10 * round + number));
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
}

function makePlace(name: string): string {
  mkdirSync(join(folder, name));
  return join(folder, name);
}

interface Victim {
  readonly program: string;
  /** How to start it, given how far the run has come. */
  words(done: number): readonly string[];
  readonly kills: number;
  random(): number;
  /** How long it lives at most after its last word, in milliseconds. */
  readonly longest?: number;
}

/** Kills one process after the other on the same run. Each prints how far it has come, and `count` tells it from the journal. */
async function killOften(
  project: Project,
  victim: Victim,
  count: (commits: readonly Commit[], where: string) => number,
): Promise<void> {
  const { runId, open } = project;
  let done = count(await readAll(open().store.read(runId)), "at the start");
  for (let kill = 1; kill <= victim.kills; kill++) {
    const where = `kill ${kill} in ${project.folder}, HOLDFAST_SEED=${seed}`;
    const acknowledged = await liveAndDie(victim, done, where);
    const deps = open();
    done = count(await readAll(deps.store.read(runId)), where);
    counted(1);
    expect([acknowledged, acknowledged + 1], where).toContain(done);
    await expectSnapshotToAgree(deps, runId, where);
  }
  await advance(open(), runId);
}

/** Lets a process work on the run and kills it at a moment that only chance knows; answers with what it acknowledged. */
async function liveAndDie(
  { program, words, random, longest = 3 }: Victim,
  done: number,
  where: string,
): Promise<number> {
  const worker = startWorker(program, words(done));
  expect(await worker.line(), where).toBe("ready");
  const acknowledgements = Math.floor(random() * 6);
  let acknowledged = done;
  for (let n = 0; n < acknowledgements; n++) acknowledged = Number(await worker.line());
  spin(random() * longest * 1_000);
  worker.process.kill("SIGKILL");
  expect((await worker.end)[1], `${where} ${worker.complaints()}`).toBe("SIGKILL");
  // What it printed before it died was acknowledged too.
  for (const line of await worker.rest()) acknowledged = Number(line);
  return acknowledged;
}

/** The run as a new process loads it is the run that the journal alone tells of. */
async function expectSnapshotToAgree(deps: Deps, runId: string, where: string): Promise<void> {
  const blind = createCheckedJournal(deps.store, { ...deps.files, read: async () => null, write() {} });
  const standing = await blind.load(runId);
  expect(standing, where).not.toBeNull();
  expect(await deps.journal.load(runId), where).toEqual(standing);
}

/** Waits without giving the processor away: a timer would fire at the same few moments again and again. */
function spin(micros: number): void {
  const end = process.hrtime.bigint() + BigInt(Math.round(micros * 1_000));
  while (process.hrtime.bigint() < end);
}

/** Numbers that look random, always the same for a seed (mulberry32). */
function randomOf(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
