import { type Finding, well } from "../../hosts/finding.ts";
import type { Io } from "../io.ts";
import { type Called, runCall } from "./run-call.ts";

const times = 7;

/** How long a hook takes, beside a Node that does nothing: what is above that is ours. */
export async function measure(call: () => Promise<Called>, project: string, io: Io): Promise<Finding> {
  const hook: number[] = [];
  const bare: number[] = [];
  const nothing = { command: "node", args: ["-e", "0"], cwd: project, env: io.env, input: "" };
  for (let time = 0; time < times; time++) {
    hook.push((await call()).tookMs);
    bare.push((await runCall(nothing)).tookMs);
  }
  return well("latency", `a hook takes ${words(hook)}; Node alone ${words(bare)}`);
}

function words(measured: readonly number[]): string {
  return `${percentile(measured, 0.5)} ms (p50), ${percentile(measured, 0.95)} ms (p95)`;
}

function percentile(measured: readonly number[], share: number): number {
  const sorted = [...measured].sort((a, b) => a - b);
  return Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
}
