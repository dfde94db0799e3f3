import { type Finding, well } from "../../hosts/contract/finding.ts";
import type { Io } from "../terminal/io.ts";
import { type Called, runCall } from "./run-call.ts";

const times = 7;

/** Measures a hook against a Node process that does nothing; the difference is our own cost. */
export async function measure(call: () => Promise<Called>, project: string, io: Io): Promise<Finding> {
  const hook: number[] = [];
  const bare: number[] = [];
  const nothing = { command: "node", args: ["-e", "0"], cwd: project, env: io.env, input: "" };
  for (let time = 0; time < times; time++) {
    hook.push((await call()).tookMs);
    bare.push((await runCall(nothing)).tookMs);
  }
  const figures = {
    hookP50: percentile(hook, 0.5),
    hookP95: percentile(hook, 0.95),
    nodeP50: percentile(bare, 0.5),
    nodeP95: percentile(bare, 0.95),
  };
  const { hookP50, hookP95, nodeP50, nodeP95 } = figures;
  const message = `a hook takes ${hookP50} ms (p95 ${hookP95} ms); Node alone ${nodeP50} ms (p95 ${nodeP95} ms)`;
  return { ...well("latency", message), figures };
}

function percentile(measured: readonly number[], share: number): number {
  const sorted = [...measured].sort((a, b) => a - b);
  return Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
}
