import type { RunEvent } from "../../model/event.ts";

/** What is known of events that came from another machine, by their numbers. */
export interface ForeignEvents {
  readonly foreign: readonly number[];
  /** Those whose time was still to come when they were received: it is not believed. */
  readonly ahead: readonly number[];
}

/** Which events came from elsewhere, as seen from this machine, by where they stand in the whole journal. */
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
