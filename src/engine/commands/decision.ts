import type { Command, CommandType } from "../../model/command.ts";
import type { Fact, RunEvent } from "../../model/event.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { LiveRun, Run, SpentVisit } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import { evolve } from "../evolve/evolve.ts";

/** The events and the run after them. `replayed` names the earlier advance that this one repeats, without events. */
export type Decision =
  | { readonly ok: true; readonly events: readonly RunEvent[]; readonly run: Run; readonly replayed?: SpentVisit }
  | Refused;

export interface Refused {
  readonly ok: false;
  readonly refusal: Refusal;
}

export function accept({ events, run }: { readonly events: readonly RunEvent[]; readonly run: Run }): Decision {
  return { ok: true, events, run };
}

export function refuse(refusal: Refusal): Refused {
  return { ok: false, refusal };
}

/** Collects events. Each one is numbered, timestamped and applied at once, so that the next can build on it. */
export interface EventDraft {
  readonly run: Run;
  readonly events: readonly RunEvent[];
  record(fact: Fact): void;
}

export function createEventDraft(start: Run, at: string): EventDraft {
  let run = start;
  const events: RunEvent[] = [];
  return {
    get run() {
      return run;
    },
    events,
    record(fact) {
      const seq = (run.status === "absent" ? 0 : run.seq) + 1;
      const event = { seq, at, ...fact } as RunEvent;
      events.push(event);
      run = evolve(run, event);
    },
  };
}

/** What a handler gets: the template, the live run and the time. */
export interface HandlerContext {
  readonly template: Template;
  readonly run: LiveRun;
  readonly at: string;
  readonly outputs: Outputs;
}

/** The latest outputs by step, as far as the template's conditions read them. The state does not have them. */
export type Outputs = Readonly<Record<string, string>>;

export type CommandOf<T extends CommandType> = Extract<Command, { type: T }>;

export type CommandHandler<T extends CommandType> = (context: HandlerContext, command: CommandOf<T>) => Decision;
