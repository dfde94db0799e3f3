import type { RunEvent } from "../../model/event.ts";

/** The numbers of the events that came from another machine. */
export interface ForeignEvents {
  readonly foreign: readonly number[];
  /** Those with a time after that of a receipt which follows them: it was in the future then, and is not trusted. */
  readonly ahead: readonly number[];
}

/** Finds the events that came from another machine. `events` must be the whole journal. */
export function foreignEvents(events: readonly RunEvent[], machine: string | null): ForeignEvents {
  const foreign: number[] = [];
  const ahead: number[] = [];
  // From the end, because a receipt follows what it tells of: from where on, and when it was received.
  let from = Number.POSITIVE_INFINITY;
  let receivedAt = Number.POSITIVE_INFINITY;
  for (const [place, event] of [...events.entries()].reverse()) {
    if (place < from) from = receivedAt = Number.POSITIVE_INFINITY;
    else foreign.push(event.seq);
    if (Date.parse(event.at) > receivedAt) ahead.push(event.seq);
    if (event.type !== "run-received" || event.machine !== machine) continue;
    from = Math.min(from, event.after);
    receivedAt = Math.min(receivedAt, Date.parse(event.at));
  }
  return { foreign: inOrder(foreign), ahead: inOrder(ahead) };
}

/** Whoever sent the events may have numbered them in any order. */
function inOrder(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}
