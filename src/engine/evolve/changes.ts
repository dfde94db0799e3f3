import type { LiveRun } from "../../model/run.ts";

type Paused = Extract<LiveRun, { status: "paused" }>;

/** What one event changes of a live run; everything else stays as it is. */
export type Changes = Readonly<Partial<Omit<Paused, "status">>> & { readonly status?: LiveRun["status"] };
