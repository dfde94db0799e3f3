import type { History } from "../conversation/history-types.ts";
import type { Compacted } from "../conversation/record.ts";
import { type CompactionDraftOptions, changesOf, type Stage } from "./compaction-draft.ts";
import { planCompaction, type Target } from "./plan.ts";
import { type Summarize, type SummarizerFate, summarizeFolded } from "./summarize.ts";

/** The result of a compaction. */
export interface CompactionReport {
  readonly status: "unchanged" | "compacted";
  readonly before: number;
  readonly after: number;
  readonly target: number;
  /** In the order they ran, with what each one freed. */
  readonly stages: readonly Stage[];
  readonly summarizer: SummarizerFate;
  /** What went wrong with the summarizer. */
  readonly problem?: string;
  /** The summarizer's input and output tokens. */
  readonly cost: { readonly input: number; readonly output: number };
}

export interface CompactionOptions extends CompactionDraftOptions {
  readonly summarize: Summarize | undefined;
  readonly signal: AbortSignal | undefined;
}

type Outcome = { readonly record: Compacted } & Pick<CompactionReport, "stages" | "summarizer" | "problem" | "cost">;

/** Computes the record of a compaction. Only reads the history, so a failure leaves it unchanged. */
export async function compactHistory(history: History, options: CompactionOptions, target: Target): Promise<Outcome> {
  const plan = planCompaction(history, options, target);
  const changes = changesOf(plan.draft);
  const { stages } = plan.draft;
  const { summary, state, data } = history;
  const done = await summarizeFolded({ summary, state, data }, plan, options.scale, options.summarize, options.signal);
  return {
    record: { type: "compacted", ...changes, ...(done.summary !== undefined && { summary: done.summary }) },
    stages,
    summarizer: done.fate,
    ...(done.problem !== undefined && { problem: done.problem }),
    cost: done.cost,
  };
}
