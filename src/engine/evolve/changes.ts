import type { LiveRun } from "../../model/run.ts";

type Paused = Extract<LiveRun, { status: "paused" }>;

/** The fields of a live run that one event changes. */
export type Changes = Readonly<Partial<Omit<Paused, "status">>> & { readonly status?: LiveRun["status"] };
