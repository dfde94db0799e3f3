import type { RunEvent } from "../../model/event.ts";
import type { Refusal } from "../../model/refusal/refusal.ts";
import type { Run, SpentVisit } from "../../model/run.ts";

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
