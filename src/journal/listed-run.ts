import { isRecord } from "../model/json.ts";
import type { StartedRun } from "../model/run.ts";
import type { ListedRun, RunProjection } from "../store/store.ts";
import { type Glance, glanceOf } from "./stored-runs.ts";

/** The row of a run in the lists of a shared store. `who` is the user that made the last change, as far as that is known. */
export function projectionOf(run: StartedRun, who: string): RunProjection {
  const glance = glanceOf({ run });
  return { status: glance.status, step: glance.step, who, at: glance.updatedAt, data: glance };
}

/** What a list shows of a run; null if the row was not written by `projectionOf`. */
export function glanceIn({ run, projection }: ListedRun): Glance | null {
  const data = projection?.data;
  if (!isRecord(data) || data.runId !== run) return null;
  const isText = (name: keyof Glance) => typeof data[name] === "string";
  const isTextOrNull = (name: keyof Glance) => data[name] === null || isText(name);
  const texts: readonly (keyof Glance)[] = ["workflow", "status", "step", "startedAt", "updatedAt"];
  if (!texts.every(isText) || !(["summary", "worktree", "endedAt"] as const).every(isTextOrNull)) return null;
  // Every part that lists use was looked at.
  return Array.isArray(data.sessions) ? (data as unknown as Glance) : null;
}
