import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type LongRun, runIdOf, tasksOf } from "./long-run.ts";
import { type BareClient, openServer } from "./mcp-client.ts";
import { median, timed } from "./report.ts";

/** How a compiler treats a program differs from start to start, so several sets of servers are measured. */
const sets = 3;
const roundsOfSet = 400;
/** A server lives for hours; what its first calls cost while V8 learns is not what is asked here. */
const warmUp = 150;
/** Agents do not call in a row: they think, read and write between two calls. */
const pauseMs = 10;
/** A run of ten tasks takes twenty advances. */
const advancesOfTen = 20;

const seen = { ten: runIdOf("10-seen"), long: runIdOf("10000-seen") };
const moved = { ten: runIdOf("10-moved"), long: runIdOf("10000-moved") };

/** The runs that the calls are about: one of each size to look at, and one to move. */
export const runsOfRounds: readonly LongRun[] = [
  { runId: seen.ten, tasks: 10, events: 0 },
  { runId: seen.long, tasks: 10_000, events: 10_000 },
  { runId: moved.ten, tasks: 10, events: 0 },
  { runId: moved.long, tasks: 10_000, events: 10_000 },
];

/** A project in which this run is the only one, and one in which it is the first of fifty; the calls name none. */
const unnamed = runIdOf("unnamed");
export const oneRun: readonly LongRun[] = [{ runId: unnamed, tasks: 10, events: 0 }];
export const fiftyRuns: readonly LongRun[] = [
  ...oneRun,
  ...Array.from({ length: 49 }, (_, n) => ({ runId: runIdOf(`other-${n}`), tasks: 10, events: 0 })),
];

export const kinds = [
  "echo",
  "write",
  "status10",
  "status10000",
  "advance10",
  "advance10000",
  "unnamed1",
  "unnamed50",
] as const;
type Kind = (typeof kinds)[number];
/** The time of each kind of call in microseconds. */
export type Times = Readonly<Record<Kind, number>>;

/** What is measured: our program, a bare server, and the projects with the runs from above. */
export interface Bench {
  readonly program: string;
  readonly echo: string;
  readonly folder: string;
  readonly withOne: string;
  readonly withFifty: string;
}

/** For each set of servers, what a call takes. */
export async function measureSets(bench: Bench): Promise<Times[]> {
  const all: Times[] = [];
  for (let set = 0; set < sets; set++) all.push(await measureSet(bench));
  return all;
}

/** Each kind of call has a server of its own, so that all of them are called equally often, and wait equally long. */
async function measureSet({ program, echo, folder, withOne, withFifty }: Bench): Promise<Times> {
  const bare = openServer(echo, [], folder);
  const ours = (place = folder) => openServer(program, ["mcp"], place);
  const [status10, status10000, advance10, advance10000] = [ours(), ours(), ours(), ours()];
  const [unnamed1, unnamed50] = [ours(withOne), ours(withFifty)];
  const servers = [bare, status10, status10000, advance10, advance10000, unnamed1, unnamed50];
  await Promise.all(servers.map((server) => server.open()));
  // From now on the run is that of the server's session.
  for (const server of [unnamed1, unnamed50]) await call(server, "workflow_status", { run_id: unnamed });
  const raw = openSync(join(folder, "raw"), "a");
  const rounds: Times[] = [];
  for (let round = 0; round < roundsOfSet; round++) {
    rounds.push(
      await measureRound({
        echo: () => call(bare, "echo", { text: "hello" }),
        write: async () => {
          writeSync(raw, "x".repeat(1_000));
          fdatasyncSync(raw);
        },
        status10: () => call(status10, "workflow_status", { run_id: seen.ten }),
        status10000: () => call(status10000, "workflow_status", { run_id: seen.long }),
        advance10: () => call(advance10, "workflow_advance", { run_id: moved.ten, output: "done" }),
        advance10000: () => call(advance10000, "workflow_advance", { run_id: moved.long, output: "done" }),
        unnamed1: () => call(unnamed1, "workflow_status", {}),
        unnamed50: () => call(unnamed50, "workflow_status", {}),
      }),
    );
    if ((round + 1) % advancesOfTen === 0) await beginAgain(advance10);
  }
  closeSync(raw);
  await Promise.all(servers.map((server) => server.close()));
  return middle(rounds.slice(warmUp));
}

/** Sends the run of ten tasks, which has done them all, through ten more. */
async function beginAgain(server: BareClient): Promise<void> {
  await call(server, "workflow_advance", { run_id: moved.ten, output: "done", outcome: "again" });
  await call(server, "workflow_set_tasks", { run_id: moved.ten, loop_id: "work", tasks: tasksOf(10) });
  // What comes before the first task is handed out is not what is measured.
  await call(server, "workflow_status", { run_id: moved.ten });
}

/** The median of each kind of call. */
export function middle(all: readonly Times[]): Times {
  const of = (kind: Kind) => median(all.map((times) => times[kind]));
  return {
    echo: of("echo"),
    write: of("write"),
    status10: of("status10"),
    status10000: of("status10000"),
    advance10: of("advance10"),
    advance10000: of("advance10000"),
    unnamed1: of("unnamed1"),
    unnamed50: of("unnamed50"),
  };
}

/** In an order that chance makes. */
async function measureRound(acts: Readonly<Record<Kind, () => Promise<void>>>): Promise<Times> {
  const times = {
    echo: 0,
    write: 0,
    status10: 0,
    status10000: 0,
    advance10: 0,
    advance10000: 0,
    unnamed1: 0,
    unnamed50: 0,
  };
  for (const kind of shuffled(kinds)) {
    await setTimeout(pauseMs);
    times[kind] = await timed(acts[kind]);
  }
  return times;
}

async function call(client: BareClient, name: string, words: object): Promise<void> {
  const answer = (await client.call("tools/call", { name, arguments: words })) as { readonly isError?: boolean };
  if (answer.isError) throw new Error(`${name} was refused: ${JSON.stringify(answer)}`);
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
