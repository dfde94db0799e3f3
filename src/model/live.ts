import type { LiveRun, Run } from "./run.ts";

/** Stands apart from the schemas, so that whoever only asks this does not load them. */
export function isLive(run: Run): run is LiveRun {
  return run.status === "running" || run.status === "waiting" || run.status === "review" || run.status === "paused";
}
