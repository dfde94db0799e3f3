import { aimAt } from "../engine/aim.ts";
import { decide } from "../engine/decide.ts";
import { evolve } from "../engine/evolve.ts";
import { isHoldfastError } from "../errors.ts";
import type { Command } from "../model/command.ts";
import type { RunEvent } from "../model/event.ts";
import type { Refusal } from "../model/refusal.ts";
import { isLive, type Run, type SpentVisit, type StartedRun } from "../model/run.ts";
import type { Template } from "../model/template.ts";
import { type Deps, no, type Outcome, yes } from "./operation.ts";
import type { Standing } from "./run-journal.ts";

/** A run after a change. `replayed` says that the change had been made before. */
export interface Changed {
  readonly standing: Standing;
  readonly events: readonly RunEvent[];
  readonly replayed: SpentVisit | null;
}

export interface Change {
  /** A command that depends on where the run stands is made anew whenever someone else was faster. */
  readonly command: Command | ((run: StartedRun) => Command);
  /** What to record when the command is refused, if anything: a failed gate, a pending approval, a spent budget. */
  afterRefusal?(refusal: Refusal): readonly Command[];
  /** Gives the next visit out in the same commit, as an agent's call does. */
  readonly handOut?: boolean;
}

/** Decides a command on the run as it stands and appends what happened; whoever was overtaken decides again. */
export async function changeRun(
  deps: Deps,
  before: Standing,
  template: Template,
  change: Change,
): Promise<Outcome<Changed>> {
  let standing = before;
  const pinned = pinVisit(standing.run, change);
  for (;;) {
    const answer = decideAll(template, standing.run, pinned, deps);
    try {
      const next =
        answer.events.length === 0 ? standing : await deps.journal.append(before.run.runId, standing, answer.events);
      if (answer.refusal !== null) return no(answer.refusal);
      return yes({ standing: next, events: answer.events, replayed: answer.replayed });
    } catch (error) {
      if (!isHoldfastError(error, "version-conflict")) throw error;
      const current = await deps.journal.load(before.run.runId);
      if (current === null) return no({ code: "run-unknown", run: before.run.runId });
      standing = current;
    }
  }
}

/** An advance without a token means the visit that is open now, also after someone else was faster. */
function pinVisit(run: StartedRun, change: Change): Change {
  const { command } = change;
  if (typeof command === "function" || command.type !== "advance" || !isLive(run)) return change;
  const aimed = aimAt(run, command);
  return aimed.ok ? { ...change, command: { ...command, token: aimed.visit.token } } : change;
}

interface Answer {
  readonly events: readonly RunEvent[];
  readonly refusal: Refusal | null;
  readonly replayed: SpentVisit | null;
}

function decideAll(template: Template, run: StartedRun, change: Change, deps: Deps): Answer {
  const command = typeof change.command === "function" ? change.command(run) : change.command;
  const at = deps.now();
  const decision = decide(template, run, command, at);
  if (!decision.ok) {
    const records = change.afterRefusal?.(decision.refusal) ?? [];
    return { events: eventsOf(template, run, records, at), refusal: decision.refusal, replayed: null };
  }
  const replayed = decision.replayed ?? null;
  const { events } = decision;
  if (change.handOut !== true || replayed !== null) return { events, refusal: null, replayed };
  const next = events.reduce<Run>(evolve, run);
  const handed = eventsOf(template, next, [{ type: "hand-out", session: deps.caller.session }], at);
  return { events: [...events, ...handed], refusal: null, replayed };
}

/** The events of commands that follow from another one; what is refused adds nothing. */
function eventsOf(template: Template, start: Run, commands: readonly Command[], at: string): RunEvent[] {
  let run = start;
  return commands.flatMap((command) => {
    const decision = decide(template, run, command, at);
    if (!decision.ok) return [];
    run = decision.events.reduce<Run>(evolve, run);
    return decision.events;
  });
}
