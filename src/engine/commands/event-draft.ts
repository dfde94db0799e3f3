import type { Fact, RunEvent } from "../../model/event.ts";
import type { Run } from "../../model/run.ts";
import { evolve } from "../evolve/evolve.ts";

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
