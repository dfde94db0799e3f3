import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { runIdOf } from "./long-run.ts";
import { type Aim, median } from "./report.ts";

/** `holdfast status` in a new process, on a short and on a long run, beside a Node that does nothing. */
export function measureCold(folder: string, cli: string): readonly Aim[] {
  const status = (size: number) => timed(folder, [cli, "status", "--run", runIdOf(size)]);
  // The first look at a run makes its snapshot, as every 256th commit would have.
  status(10);
  status(100_000);
  const rounds = Array.from({ length: 21 }, () => ({
    bare: timed(folder, ["-e", "0"]),
    small: status(10),
    large: status(100_000),
  }));
  const of = (side: "bare" | "small" | "large") => median(rounds.map((round) => round[side]));
  const row = (name: string, side: "bare" | "small" | "large") => [
    name,
    `${of(side).toFixed(0)} ms`,
    (of(side) / of("bare")).toFixed(2),
  ];
  const rows = [
    ["", "time", "ratio"],
    row("bare node", "bare"),
    row("10 events", "small"),
    row("100,000 events", "large"),
  ];
  return [
    {
      name: "cold holdfast status against bare node",
      rows,
      value: median(rounds.map((round) => round.small / round.bare)),
      most: 2,
    },
    {
      name: "cold holdfast status: the run of 100,000 events against the run of 10",
      rows,
      value: median(rounds.map((round) => round.large / round.small)),
      most: 1.5,
    },
  ];
}

function timed(cwd: string, words: readonly string[]): number {
  const start = process.hrtime.bigint();
  execFileSync("node", words, { cwd, stdio: "ignore", env: { ...process.env, HOME: join(cwd, "home") } });
  return Number(process.hrtime.bigint() - start) / 1_000_000;
}
