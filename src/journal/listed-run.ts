import type { StartedRun } from "../model/run.ts";
import type { RunProjection } from "../store/store.ts";
import { glanceOf } from "./stored-runs.ts";

/** The row of a run in the lists of a shared store; `who` made the last change. */
export function projectionOf(run: StartedRun, who: string): RunProjection {
  const glance = glanceOf({ run });
  return { status: glance.status, step: glance.step, who, at: glance.updatedAt, data: glance };
}
