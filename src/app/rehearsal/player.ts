import { outputsRead } from "../../engine/commands/conditions.ts";
import { decide } from "../../engine/commands/decide.ts";
import type { Decision } from "../../engine/commands/decision.ts";
import { evolve } from "../../engine/evolve/evolve.ts";
import { type KeptOutputs, latestOutput, namedOutput } from "../../engine/view/kept-outputs.ts";
import { view } from "../../engine/view/view.ts";
import type { Command } from "../../model/command.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Run, StartedRun, Visit } from "../../model/run.ts";
import { isLive } from "../../model/run-state.ts";
import type { Template } from "../../model/template.ts";

/** A run in memory, with a clock of its own: nothing is stored and nothing is executed. */
export interface Player {
  play(command: Command): Decision;
  /** The first open visit; null at the end. */
  visit(): Visit | null;
  status(): Run["status"];
  /** What an agent is told at a visit. */
  tell(visit: Visit): string;
  pass(minutes: number): void;
}

export function createPlayer(template: Template, projectRoot: string, request: string | undefined): Player {
  let run: Run = { status: "absent" };
  let clock = Date.parse("2026-01-01T12:00:00Z");
  const outputs: Record<string, string> = {};
  const take = (event: RunEvent) => {
    run = evolve(run, event);
    if (event.type !== "visit-ended" && event.type !== "visit-failed") return;
    delete outputs[event.key];
    outputs[event.key] = event.output;
  };
  const play = (command: Command) => {
    const decision = decide(template, run, command, new Date(clock).toISOString(), read(template, outputs));
    if (decision.ok) for (const event of decision.events) take(event);
    return decision;
  };
  return {
    play,
    visit() {
      // There is one agent here: in a loop for several, it works on one task after the other.
      const isFree = isLive(run) && run.visits.every(({ claim }) => claim === null);
      if (isFree) play({ type: "claim", expired: [] });
      return isLive(run) ? (run.visits.find(({ claim }) => claim !== null) ?? run.visits[0] ?? null) : null;
    },
    status: () => run.status,
    tell(visit) {
      const now = started(run);
      const outputOf = (name: string) => namedOutput(template, now, outputs, name);
      return view(template, now, visit, { outputOf, projectRoot, request }).instructions;
    },
    pass(minutes) {
      clock += minutes * 60_000;
    },
  };
}

/** The outputs that the template's conditions read. */
function read(template: Template, outputs: KeptOutputs): Record<string, string> {
  const found = outputsRead(template).map((step) => [step, latestOutput(outputs, step)]);
  return Object.fromEntries(found.filter(([, output]) => output !== undefined));
}

function started(run: Run): StartedRun {
  if (run.status === "absent") throw new Error("the rehearsal has not begun");
  return run;
}
