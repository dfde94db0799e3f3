import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type LongRun, runIdOf } from "./long-run.ts";
import { type BareClient, openServer } from "./mcp-client.ts";
import { median, timed } from "./report.ts";

/** How a compiler treats a program differs from start to start, so several pairs of servers are measured. */
const pairs = 5;
const roundsOfPair = 400;
/** The first rounds warm up the compiler. */
const warmUp = 100;
/** A run of ten tasks takes twenty advances. */
const advancesOfTen = 20;

const long: LongRun = { runId: runIdOf("10000"), tasks: 10_000, events: 10_000 };
const tenOf = (pair: number, round: number) => runIdOf(`10-${pair}-${Math.floor(round / advancesOfTen)}`);

/** The runs that the calls are about: one of 10,000 tasks, and as many of ten as the rounds need. */
export function runsOfRounds(): readonly LongRun[] {
  const runs = [long];
  for (let pair = 0; pair < pairs; pair++) {
    for (let round = 0; round < roundsOfPair; round += advancesOfTen) {
      runs.push({ runId: tenOf(pair, round), tasks: 10, events: 0 });
    }
  }
  return runs;
}

export const kinds = ["echo", "write", "status10", "status10000", "advance10", "advance10000"] as const;
/** The time of each kind of call in microseconds. */
export type Times = Readonly<Record<Kind, number>>;
type Kind = (typeof kinds)[number];

/** For each pair of a bare server and one of ours, what a call takes. */
export async function measurePairs(program: string, echo: string, folder: string): Promise<Times[]> {
  const all: Times[] = [];
  for (let pair = 0; pair < pairs; pair++) all.push(await measurePair(program, echo, folder, pair));
  return all;
}

async function measurePair(program: string, echo: string, folder: string, pair: number): Promise<Times> {
  const bare = openServer(echo, [], folder);
  const ours = openServer(program, ["mcp"], folder);
  await Promise.all([bare.open(), ours.open()]);
  const raw = openSync(join(folder, "raw"), "a");
  const rounds: Times[] = [];
  for (let round = 0; round < roundsOfPair; round++) {
    rounds.push(await measureRound({ bare, ours, raw, ten: tenOf(pair, round) }));
  }
  closeSync(raw);
  await Promise.all([bare.close(), ours.close()]);
  return middle(rounds.slice(warmUp));
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
  };
}

interface Lane {
  readonly bare: BareClient;
  readonly ours: BareClient;
  readonly raw: number;
  /** The run of ten tasks that is under way. */
  readonly ten: string;
}

/** In an order that chance makes: what comes after a pause, or after a write, is slower for it. */
async function measureRound({ bare, ours, raw, ten }: Lane): Promise<Times> {
  const advance = (run_id: string) => call(ours, "workflow_advance", { run_id, output: "done" });
  const status = (run_id: string) => call(ours, "workflow_status", { run_id });
  const acts: Record<Kind, () => Promise<void>> = {
    echo: () => call(bare, "echo", { text: "hello" }),
    write: async () => {
      writeSync(raw, "x".repeat(1_000));
      fdatasyncSync(raw);
    },
    status10: () => status(ten),
    status10000: () => status(long.runId),
    advance10: () => advance(ten),
    advance10000: () => advance(long.runId),
  };
  const times = { echo: 0, write: 0, status10: 0, status10000: 0, advance10: 0, advance10000: 0 };
  for (const kind of shuffled(kinds)) times[kind] = await timed(acts[kind]);
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
