import { isCancel, select } from "@clack/prompts";
import type { Io } from "../terminal/io.ts";
import { oneLine } from "../terminal/sanitize.ts";

/** What a person needs to tell one run from another. */
export interface PickableRun {
  readonly runId: string;
  readonly step: string;
  readonly summary: string | null;
}

/** Lets a person at a terminal choose one of several runs. Null if they cancel with Ctrl-C or Esc. */
export async function pickRun(message: string, runs: readonly PickableRun[], io: Io): Promise<string | null> {
  const chosen = await select({
    message,
    options: runs.map(({ runId, step, summary }) => ({
      value: runId,
      label: runId,
      hint: oneLine([step, summary ?? ""].filter((part) => part !== "").join(", ")),
    })),
    signal: io.signal,
  });
  return isCancel(chosen) ? null : chosen;
}
