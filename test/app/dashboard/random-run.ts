import fc from "fast-check";
import { decide } from "../../../src/engine/commands/decide.ts";
import { evolve } from "../../../src/engine/evolve/evolve.ts";
import type { Command } from "../../../src/model/command.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import type { Run } from "../../../src/model/run.ts";
import { hash, runId } from "../../engine/drive.ts";
import { commandFor, intent } from "../../engine/random-command.ts";
import { randomTemplate } from "../../engine/random-template.ts";

export interface RandomRun {
  readonly run: Run;
  /** The events of each commit. */
  readonly commits: readonly (readonly RunEvent[])[];
}

/** Random commands at a random workflow; those that are refused leave nothing behind. */
export const randomRun: fc.Arbitrary<RandomRun> = fc
  .tuple(randomTemplate, fc.array(intent, { minLength: 1, maxLength: 80 }))
  .map(([law, intents]) => {
    let run: Run = { status: "absent" };
    let last: Command | null = null;
    let minutes = 0;
    const tokens: string[] = [];
    const commits: (readonly RunEvent[])[] = [];
    const send = (command: Command) => {
      const at = new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString();
      const decision = decide(law, run, command, at);
      if (!decision.ok || decision.events.length === 0) return;
      run = decision.events.reduce<Run>(evolve, run);
      commits.push(decision.events);
      if (command.type === "advance") last = command;
      for (const event of decision.events) if ("token" in event && event.token) tokens.push(event.token);
    };
    send({ type: "start", runId, templateHash: hash });
    for (const next of intents) {
      minutes += next.wait;
      send(commandFor({ law, run, tokens, last }, next));
    }
    return { run, commits };
  });
