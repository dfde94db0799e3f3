import { decide } from "../src/engine/commands/decide.ts";
import { evolve } from "../src/engine/evolve/evolve.ts";
import type { Command } from "../src/model/command.ts";
import type { RunEvent } from "../src/model/event.ts";
import type { Run } from "../src/model/run.ts";
import type { Template } from "../src/model/template.ts";
import { hashTemplate } from "../src/templates/hash.ts";
import { loadTemplate } from "../src/templates/load.ts";

export const at = "2026-01-01T00:00:00.000Z";
export const advance: Command = { type: "advance", output: "Implemented as planned, tests pass. ".repeat(6) };

export const yaml = `
name: long
description: a loop that goes on and on
loops:
  work:
    - { id: implement, instructions: "Implement {task.title}" }
    - { id: verify, instructions: "Verify {task.title}" }
steps:
  - { id: work, type: loop }
  - { id: ship, type: action, instructions: Ship it, outcomes: { again: work, over: next } }
`;

export const template = load(yaml);
export const templateHash = hashTemplate(template);
export const runIdOf = (name: number | string) => `long-${name}-20260101_000000-ab12`;

/** A run through the loop of the template. */
export interface LongRun {
  readonly runId: string;
  readonly tasks: number;
  /** About how many events it has had. */
  readonly events: number;
}

/** A run of so many events; it stands inside its loop, with enough tasks ahead for what is measured. */
export function longRun(events: number): LongRun {
  // A task of this loop makes five events.
  return { runId: runIdOf(events), tasks: Math.ceil(events / 5) + 1_000, events };
}

/** The commits of a run. */
export function* eventsOfRun({ runId, tasks, events }: LongRun): Generator<readonly RunEvent[]> {
  let run: Run = { status: "absent" };
  let total = 0;
  const send = (command: Command) => {
    const decision = decide(template, run, command, at);
    if (!decision.ok) throw new Error(decision.refusal.code);
    total += decision.events.length;
    run = decision.events.reduce<Run>(evolve, run);
    return decision.events;
  };
  yield send({ type: "start", runId, templateHash });
  yield send({ type: "set-tasks", loop: "work", tasks: tasksOf(tasks) });
  while (total < events) yield send(advance);
}

export function tasksOf(count: number): { readonly id: string; readonly title: string }[] {
  return Array.from({ length: count }, (_, n) => ({ id: `t${n}`, title: `Task number ${n}` }));
}

function load(text: string): Template {
  const reading = loadTemplate(text);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.template;
}
