import type { RunEvent } from "../../model/event.ts";
import type { StartedRun } from "../../model/run.ts";
import { claimIn, isLive } from "../../model/run-state.ts";
import type { Deps } from "../../operation/operation.ts";

/**
 * The visit that these events leave their caller with, in a loop that several agents work on. Null if they have ended its task
 * and given it no other: it must not be handed what another agent of the same session works on. Undefined elsewhere.
 */
export function focusAfter(run: StartedRun, events: readonly RunEvent[]): string | null | undefined {
  if (!isLive(run) || !run.visits.some(({ claim }) => claim !== undefined)) return undefined;
  const given = events.flatMap(tokenGiven).at(-1);
  if (given !== undefined) return given;
  const hasEnded = events.some((event) => event.type === "visit-ended" || event.type === "visit-failed");
  return hasEnded ? null : undefined;
}

function tokenGiven(event: RunEvent): string[] {
  switch (event.type) {
    case "visit-claimed":
      return [event.as];
    case "visit-entered":
      return event.claim == null ? [] : [event.token];
    case "visit-failed":
      return event.retry !== null && claimIn(event.retry) !== null ? [event.retry] : [];
    default:
      return [];
  }
}

/** The same call, about this visit. */
export function focusOn<D extends Deps>(deps: D, visit: string | null | undefined): D {
  return visit === undefined ? deps : { ...deps, caller: { ...deps.caller, visit } };
}
