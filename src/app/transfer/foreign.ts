import type { RunEvent } from "../../model/event.ts";

/** What is known of events that came from another machine, by their numbers. */
export interface ForeignEvents {
  readonly foreign: readonly number[];
  /** Those whose time was still to come when they were received: it is not believed. */
  readonly ahead: readonly number[];
}

/** Which events came from elsewhere, as seen from this machine. */
export function foreignEvents(events: readonly RunEvent[], machine: string | null): ForeignEvents {
  const received = events.flatMap((event) => {
    if (event.type !== "run-received" || event.machine !== machine) return [];
    return events
      .filter(({ seq }) => seq > event.after && seq < event.seq)
      .map(({ seq, at }) => ({ seq, ahead: Date.parse(at) > Date.parse(event.at) }));
  });
  const numbers = (some: typeof received) => [...new Set(some.map(({ seq }) => seq))].sort((a, b) => a - b);
  return { foreign: numbers(received), ahead: numbers(received.filter(({ ahead }) => ahead)) };
}
