import { decide } from "../src/engine/decide.ts";
import { evolve } from "../src/engine/evolve.ts";
import type { Command } from "../src/model/command.ts";
import { isLive, type Run } from "../src/model/run.ts";
import type { Template } from "../src/model/template.ts";
import { loadTemplate } from "../src/templates/load.ts";
import { type Aim, report } from "./report.ts";

const at = "2026-01-01T00:00:00.000Z";
const yaml = `
name: long
description: a loop that goes on and on
loops:
  work:
    - { id: implement, context: compact, instructions: "Implement {task.title}" }
    - { id: verify, instructions: "Verify {task.title}" }
steps:
  - { id: work, type: loop }
  - { id: ship, type: action, instructions: Ship it }
`;

const template = load(yaml);
const advance: Command = { type: "advance", output: "x".repeat(200) };
const small = runOf(10);
const large = runOf(100_000);

/** One accepted advance: decided, and folded into the state. */
function once(run: Run): void {
  const decision = decide(template, run, advance, at);
  if (!decision.ok) throw new Error(decision.refusal.code);
  decision.events.reduce<Run>(evolve, run);
}

const rounds = Array.from({ length: 31 }, () => ({ small: timed(small.run), large: timed(large.run) }));
const ratio = median(rounds.map((round) => round.large / round.small));
const aims: Aim[] = [
  {
    name: "decide and evolve one advance, 100,000 events against 10",
    rows: [
      [`${small.events} events`, `${median(rounds.map((round) => round.small)).toFixed(2)} µs`, "1.00"],
      [`${large.events} events`, `${median(rounds.map((round) => round.large)).toFixed(2)} µs`, ratio.toFixed(2)],
    ],
    value: ratio,
    most: 1.3,
  },
];
process.exitCode = report(aims) ? 0 : 1;

function timed(run: Run): number {
  const count = 4_000;
  const start = process.hrtime.bigint();
  for (let n = 0; n < count; n++) once(run);
  return Number(process.hrtime.bigint() - start) / count / 1_000;
}

/** A run that stands inside its loop after about this many events. */
function runOf(count: number): { readonly run: Run; readonly events: number } {
  let run: Run = { status: "absent" };
  let events = 0;
  const send = (command: Command) => {
    const decision = decide(template, run, command, at);
    if (!decision.ok) throw new Error(decision.refusal.code);
    events += decision.events.length;
    run = decision.events.reduce<Run>(evolve, run);
  };
  const tasks = Array.from({ length: count }, (_, n) => ({ id: `t${n}`, title: `Task number ${n}` }));
  send({ type: "start", runId: "long-20260101_000000-ab12", templateHash: "sha256:0123456789abcdef" });
  send({ type: "set-tasks", loop: "work", tasks });
  while (events < count) send(advance);
  // The two runs are measured at the same sub-step.
  if (isLive(run) && !run.visits[0]?.token.includes("verify")) send(advance);
  return { run, events };
}

function load(text: string): Template {
  const reading = loadTemplate(text);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.template;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
