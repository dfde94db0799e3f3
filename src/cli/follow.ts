import { setTimeout } from "node:timers/promises";
import type { Log } from "../app/queries/read-log.ts";
import type { Refusal } from "../model/refusal/refusal.ts";
import type { Outcome } from "../operation/operation.ts";
import type { Io } from "./terminal/io.ts";

const pollMs = 250;
const ended = ["complete", "failed", "aborted"];

export interface Following {
  readonly io: Io;
  readonly run: string | undefined;
  readonly after: number;
  read(run: string | undefined, after: number): Promise<Outcome<Log>>;
  print(log: Log): string;
}

/** Prints events as they arrive, until the run ends or the reader stops. */
export async function follow({ io, run, after, read, print }: Following): Promise<Refusal | null> {
  let last = after;
  // Keep following the run that was chosen first, even if another one is live later.
  let meant = run;
  while (!io.signal.aborted) {
    const log = await read(meant, last);
    if (!log.ok) return log.refusal;
    io.out(print(log.value));
    meant = log.value.runId;
    last = log.value.events.at(-1)?.seq ?? last;
    if (ended.includes(log.value.status)) return null;
    await setTimeout(pollMs, undefined, { signal: io.signal }).catch(() => {});
  }
  return null;
}
