import type { RunEvent } from "../../model/event.ts";
import type { Commit } from "../../store/store.ts";

/** How the local journal relates to one from elsewhere. */
export interface Relation {
  readonly type: "same" | "ahead" | "behind" | "diverged";
  /** How many commits they share. */
  readonly common: number;
}

type History = readonly Pick<Commit, "id" | "events">[];

/** Receiving a run doesn't count as progress: a side with nothing but receipts after the common part has not moved on. */
export function relate(here: History, there: History): Relation {
  const differing = here.findIndex(({ id }, index) => id !== there[index]?.id);
  const common = differing === -1 ? here.length : differing;
  const [ours, theirs] = [here, there].map((side) => side.slice(common).some(({ events }) => !events.every(isReceipt)));
  if (ours && theirs) return { type: "diverged", common };
  if (ours) return { type: "ahead", common };
  return { type: theirs ? "behind" : "same", common };
}

/**
 * The number of the last event that is not from elsewhere, once the commits after `common` are replaced. Receipts among
 * those commits count too: they mark earlier events as received, which must not be forgotten.
 */
export function receivedAfter(here: History, common: number): number {
  const shared = here.slice(0, common).flatMap(({ events }) => events).length;
  const receipts = here.slice(common).flatMap(({ events }) => events.filter(isReceipt));
  return Math.min(shared, ...receipts.map(({ after }) => after));
}

function isReceipt(event: RunEvent): event is Extract<RunEvent, { type: "run-received" }> {
  return event.type === "run-received";
}
