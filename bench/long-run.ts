import { decide } from "../src/engine/decide.ts";
import { evolve } from "../src/engine/evolve.ts";
import type { Command } from "../src/model/command.ts";
import type { RunEvent } from "../src/model/event.ts";
import type { Run } from "../src/model/run.ts";
import type { Template } from "../src/model/template.ts";
import { hashTemplate } from "../src/templates/hash.ts";
import { loadTemplate } from "../src/templates/load.ts";

export const at = "2026-01-01T00:00:00.000Z";
export const advance: Command = { type: "advance", output: "Implemented as planned, tests pass. ".repeat(6) };

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

export const template = load(yaml);
export const templateHash = hashTemplate(template);
export const runIdOf = (count: number) => `long-${count}-20260101_000000-ab12`;

/** The commits of a run of about so many events; it stands inside its loop, with tasks ahead. */
export function* eventsOfRun(count: number): Generator<readonly RunEvent[]> {
  let run: Run = { status: "absent" };
  let total = 0;
  const send = (command: Command) => {
    const decision = decide(template, run, command, at);
    if (!decision.ok) throw new Error(decision.refusal.code);
    total += decision.events.length;
    run = decision.events.reduce<Run>(evolve, run);
    return decision.events;
  };
  // A task of this loop makes five events; some are left for what is measured.
  const length = Math.ceil(count / 5) + 1_000;
  const tasks = Array.from({ length }, (_, n) => ({ id: `t${n}`, title: `Task number ${n}` }));
  yield send({ type: "start", runId: runIdOf(count), templateHash });
  yield send({ type: "set-tasks", loop: "work", tasks });
  while (total < count) yield send(advance);
}

function load(text: string): Template {
  const reading = loadTemplate(text);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.template;
}
