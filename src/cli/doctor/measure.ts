import { type Finding, well } from "../../hosts/contract/finding.ts";
import type { Io } from "../terminal/io.ts";
import { type Called, runCall } from "./run-call.ts";

export interface TimedHook {
  readonly event: string;
  call(): Promise<Called>;
}

const rounds = 3;
/** On a slow machine fewer rounds have to do, but at least one. */
const patienceMs = 1_500;

/** Measures each hook against a Node process that does nothing; the difference is our own cost. */
export async function measure(hooks: readonly TimedHook[], project: string, io: Io): Promise<Finding> {
  const bare: number[] = [];
  const times = hooks.map(({ event }) => ({ event, took: [] as number[] }));
  const nothing = { command: "node", args: ["-e", "0"], cwd: project, env: io.env, input: "" };
  const end = performance.now() + patienceMs;
  for (let round = 0; round < rounds && (round === 0 || performance.now() < end); round++) {
    bare.push((await runCall(nothing)).tookMs);
    for (const [index, { call }] of hooks.entries()) times[index]?.took.push((await call()).tookMs);
  }
  const start = times.find(({ event }) => event === "SessionStart")?.took ?? [];
  const medians = times.map(({ event, took }) => [event, percentile(took, 0.5)] as const);
  const figures = {
    hookP50: percentile(start, 0.5),
    hookP95: percentile(start, 0.95),
    nodeP50: percentile(bare, 0.5),
    nodeP95: percentile(bare, 0.95),
    ...Object.fromEntries(medians),
  };
  const listed = medians.map(([event, median]) => `${event} ${median} ms`);
  const message = `with a live run: ${listed.join(", ")}; Node alone ${figures.nodeP50} ms`;
  return { ...well("latency", message), figures };
}

function percentile(measured: readonly number[], share: number): number {
  const sorted = [...measured].sort((a, b) => a - b);
  return Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
}
