import type { RunEvent } from "../../model/event.ts";

/** The numbers of the events that came from another machine. */
export interface ForeignEvents {
  readonly foreign: readonly number[];
  /** Those whose time was in the future when they were received, and is therefore not trusted. */
  readonly ahead: readonly number[];
}

/** Finds the events that came from another machine. `events` must be the whole journal. */
export function foreignEvents(events: readonly RunEvent[], machine: string | null): ForeignEvents {
  const received = events.flatMap((receipt, place) => {
    if (receipt.type !== "run-received" || receipt.machine !== machine) return [];
    return events
      .slice(receipt.after, place)
      .map(({ seq, at }) => ({ seq, ahead: Date.parse(at) > Date.parse(receipt.at) }));
  });
  const numbers = (some: typeof received) => [...new Set(some.map(({ seq }) => seq))].sort((a, b) => a - b);
  return { foreign: numbers(received), ahead: numbers(received.filter(({ ahead }) => ahead)) };
}
