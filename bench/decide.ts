import { decide } from "../src/engine/commands/decide.ts";
import { evolve } from "../src/engine/evolve/evolve.ts";
import type { Command } from "../src/model/command.ts";
import type { Run } from "../src/model/run.ts";
import { isLive } from "../src/model/run-state.ts";
import { advance, at, eventsOfRun, longRun, template } from "./long-run.ts";
import { type Aim, median } from "./report.ts";

/** Deciding and folding one advance, on a short and on a long run, from the same place again and again. */
export function measureDecide(): Aim {
  const small = runOf(10);
  const large = runOf(100_000);
  const rounds = Array.from({ length: 31 }, () => ({ small: timed(small), large: timed(large) }));
  const value = median(rounds.map((round) => round.large / round.small));
  const micros = (side: "small" | "large") => `${median(rounds.map((round) => round[side])).toFixed(2)} µs`;
  return {
    name: "decide and evolve one advance: the run of 100,000 events against the run of 10",
    rows: [
      ["events", "one advance", "ratio"],
      ["10", micros("small"), "1.00"],
      ["100,000", micros("large"), value.toFixed(2)],
    ],
    value,
    most: 1.3,
  };
}

function runOf(count: number): Run {
  let run: Run = { status: "absent" };
  for (const events of eventsOfRun(longRun(count))) run = events.reduce<Run>(evolve, run);
  // Both runs are measured at the end of a task, where most happens.
  if (isLive(run) && !run.visits[0]?.token.includes("verify")) run = once(run, advance);
  return run;
}

function once(run: Run, command: Command): Run {
  const decision = decide(template, run, command, at);
  if (!decision.ok) throw new Error(decision.refusal.code);
  return decision.events.reduce<Run>(evolve, run);
}

function timed(run: Run): number {
  const count = 4_000;
  const start = process.hrtime.bigint();
  for (let n = 0; n < count; n++) once(run, advance);
  return Number(process.hrtime.bigint() - start) / count / 1_000;
}
