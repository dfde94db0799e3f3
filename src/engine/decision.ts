import type { RunEvent } from "../model/event.ts";
import type { Refusal } from "../model/refusal.ts";
import type { SpentVisit } from "../model/run.ts";

/** What the engine answers. `replayed` names the earlier advance that this one repeats; it has no events. */
export type Decision =
  | { readonly ok: true; readonly events: readonly RunEvent[]; readonly replayed?: SpentVisit }
  | Refused;

export interface Refused {
  readonly ok: false;
  readonly refusal: Refusal;
}

export function accept(events: readonly RunEvent[]): Decision {
  return { ok: true, events };
}

export function refuse(refusal: Refusal): Refused {
  return { ok: false, refusal };
}
