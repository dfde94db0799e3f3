// What a call over MCP costs, beside a bare server on the same SDK. Started by run.ts.
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type LongRun, runIdOf } from "./long-run.ts";
import { type BareClient, openServer } from "./mcp-client.ts";
import { makeProject } from "./project.ts";
import { type Aim, median, report } from "./report.ts";

const [, , program = "", echo = ""] = process.argv;
const roundCount = 400;
/** A run of ten tasks takes twenty advances. */
const advancesOfTen = 20;
const long: LongRun = { runId: runIdOf("10000"), tasks: 10_000, events: 10_000 };
const short = Array.from({ length: roundCount / advancesOfTen }, (_, n) => ({
  runId: runIdOf(`10-${n}`),
  tasks: 10,
  events: 0,
}));
const { folder, remove } = await makeProject([...short, long]);
try {
  const aims = [...(await roundTrips()), await startUp()];
  process.exitCode = report(aims) ? 0 : 1;
} finally {
  remove();
}

async function roundTrips(): Promise<Aim[]> {
  const bare = openServer(echo, [], folder);
  const ours = openServer(program, ["mcp"], folder);
  await Promise.all([bare.open(), ours.open()]);
  const raw = openSync(join(folder, "raw"), "a");
  const rounds = [];
  for (let round = 0; round < roundCount; round++) {
    const ten = short[Math.floor(round / advancesOfTen)] ?? long;
    rounds.push(await measureRound({ bare, ours, raw, ten: ten.runId }));
  }
  closeSync(raw);
  await Promise.all([bare.close(), ours.close()]);
  const warm = rounds.slice(100);
  const of = (name: keyof (typeof warm)[number]) => median(warm.map((one) => one[name]));
  const micros = (value: number) => `${value.toFixed(0)} µs`;
  const floor = of("echo");
  const rows = (["echo", "write", "status10", "status10000", "advance10", "advance10000"] as const).map((name) => [
    name,
    micros(of(name)),
    (of(name) / floor).toFixed(2),
  ]);
  const head = ["round trip", "time", "ratio"];
  return [
    { name: "workflow_status against a bare echo", rows: [head, ...rows], value: of("status10") / floor, most: 1.5 },
    {
      name: "workflow_advance against a bare echo and one durable write",
      rows: [head, ...rows],
      value: of("advance10") / (1.5 * floor + of("write")),
      most: 1,
    },
    {
      name: "the same calls: 10,000 tasks against 10",
      rows: [head, ...rows],
      value: Math.max(of("status10000") / of("status10"), of("advance10000") / of("advance10")),
      most: 1.3,
    },
  ];
}

interface Lane {
  readonly bare: BareClient;
  readonly ours: BareClient;
  readonly raw: number;
  /** The run of ten tasks that is under way. */
  readonly ten: string;
}

/** In an order that chance makes: what comes after a pause, or after a write, is slower for it. */
async function measureRound({ bare, ours, raw, ten }: Lane) {
  const tool = async (client: BareClient, name: string, words: object) => {
    const answer = (await client.call("tools/call", { name, arguments: words })) as { readonly isError?: boolean };
    if (answer.isError) throw new Error(`${name} was refused: ${JSON.stringify(answer)}`);
  };
  const advance = (run_id: string) => tool(ours, "workflow_advance", { run_id, output: "done" });
  const status = (run_id: string) => tool(ours, "workflow_status", { run_id });
  const times = { echo: 0, write: 0, status10: 0, status10000: 0, advance10: 0, advance10000: 0 };
  const acts: Record<keyof typeof times, () => Promise<unknown>> = {
    echo: () => tool(bare, "echo", { text: "hello" }),
    write: async () => {
      writeSync(raw, "x".repeat(1_000));
      fdatasyncSync(raw);
    },
    status10: () => status(ten),
    status10000: () => status(long.runId),
    advance10: () => advance(ten),
    advance10000: () => advance(long.runId),
  };
  for (const name of shuffled(Object.keys(times) as (keyof typeof times)[])) times[name] = await timed(acts[name]);
  return times;
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** From spawn to the answer of tools/list. */
async function startUp(): Promise<Aim> {
  const start = (file: string, words: readonly string[]) =>
    timed(async () => {
      const server = openServer(file, words, folder);
      await server.open();
      await server.call("tools/list", {});
      await server.close();
    });
  const rounds: { bare: number; ours: number }[] = [];
  for (let n = 0; n < 15; n++) rounds.push({ bare: await start(echo, []), ours: await start(program, ["mcp"]) });
  const value = median(rounds.map(({ bare, ours }) => ours / bare));
  const millis = (side: "bare" | "ours") => `${(median(rounds.map((round) => round[side])) / 1_000).toFixed(0)} ms`;
  return {
    name: "from spawn to the answer of tools/list, against a bare server on the same SDK",
    rows: [
      ["server", "time", "ratio"],
      ["bare", millis("bare"), "1.00"],
      ["holdfast mcp", millis("ours"), value.toFixed(2)],
    ],
    value,
    most: 1.5,
  };
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = process.hrtime.bigint();
  await act();
  return Number(process.hrtime.bigint() - start) / 1_000;
}
