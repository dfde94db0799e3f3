import type { RunEvent } from "../../model/event.ts";
import type { CheckedGate } from "../../serve/contract/query-answers.ts";

/** How many events there are of each type. */
export type EventTypes = Map<RunEvent["type"], number>;

/** What a comparison of two moments needs of the events between them, built event by event. */
export interface Checks {
  readonly types: EventTypes;
  /** All gates that were checked, oldest first. */
  readonly gates: CheckedGate[];
  /** The texts of the gates, each of them once: the same few are checked again and again. */
  readonly texts: Map<string, string>;
}

export function beginChecks(): Checks {
  return { types: new Map(), gates: [], texts: new Map() };
}

export function addToChecks({ types, gates, texts }: Checks, event: RunEvent): void {
  addType(types, event);
  for (const gate of gatesIn(event)) {
    const what = texts.get(gate.what) ?? gate.what;
    texts.set(what, what);
    gates.push({ ...gate, what });
  }
}

export function addType(types: EventTypes, { type }: RunEvent): void {
  types.set(type, (types.get(type) ?? 0) + 1);
}

export function gatesIn(event: RunEvent): CheckedGate[] {
  if (event.type !== "gates-checked") return [];
  return event.evidence.map(({ what, held }) => ({ event: event.seq, token: event.token, what, held }));
}
