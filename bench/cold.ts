import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { runIdOf } from "./long-run.ts";
import { type Aim, median } from "./report.ts";

/** `holdfast status` in a new process, on a short and on a long run, beside a Node that does nothing. */
export function measureCold(folder: string, cli: string): Aim {
  const status = (size: number) => timed(folder, [cli, "status", "--run", runIdOf(size)]);
  // The first look at a run makes its snapshot, as every 256th commit would have.
  status(10);
  status(100_000);
  const rounds = Array.from({ length: 11 }, () => ({
    bare: timed(folder, ["-e", "0"]),
    small: status(10),
    large: status(100_000),
  }));
  const of = (side: "bare" | "small" | "large") => median(rounds.map((round) => round[side]));
  const value = median(rounds.map((round) => round.large / round.small));
  return {
    name: "cold holdfast status: the run of 100,000 events against the run of 10",
    rows: [
      ["", "time", "ratio"],
      ["bare node", `${of("bare").toFixed(0)} ms`, (of("bare") / of("small")).toFixed(2)],
      ["10 events", `${of("small").toFixed(0)} ms`, "1.00"],
      ["100,000 events", `${of("large").toFixed(0)} ms`, value.toFixed(2)],
    ],
    value,
    most: 1.5,
  };
}

function timed(cwd: string, words: readonly string[]): number {
  const start = process.hrtime.bigint();
  execFileSync("node", words, { cwd, stdio: "ignore", env: { ...process.env, HOME: join(cwd, "home") } });
  return Number(process.hrtime.bigint() - start) / 1_000_000;
}
