import { blocksOf } from "../conversation/blocks.ts";
import { copy } from "../conversation/copy.ts";
import type { History } from "../conversation/history-types.ts";
import type { ModelMessage } from "../conversation/message.ts";
import type { Scale } from "../conversation/scale.ts";
import { type KeptSummary, readSummary, type Summary, summaryMessage, withoutBlocks } from "../conversation/summary.ts";
import { digest, fitSummary } from "./digest.ts";
import type { Plan } from "./plan.ts";

export interface SummaryRequest {
  /** The summary so far. What is returned replaces it, so it must hold what is still true of it. */
  readonly previous: Summary | null;
  readonly messages: readonly ModelMessage[];
  readonly maxTokens: number;
  readonly signal: AbortSignal | undefined;
}

/** Usually a call of a model. A promise of a summary; whatever else comes of it, the digest takes over. */
export type Summarize = (request: SummaryRequest) => Promise<Partial<Summary>> | Partial<Summary>;

/** What became of the summarizer. All but "used" and "not-needed" mean that the digest took over. */
export type SummarizerFate = "not-needed" | "used" | "absent" | "no-room" | "failed" | "aborted" | "empty" | "too-long";

export interface Summarized {
  /** Absent when the summary stays as it is, null when there is no room for any. */
  readonly summary?: KeptSummary | null;
  readonly fate: SummarizerFate;
  readonly problem?: string;
  /** What the summarizer was given and what it gave, in tokens. */
  readonly cost: { readonly input: number; readonly output: number };
}

const free = { input: 0, output: 0 };

export async function summarizeFolded(
  history: Pick<History, "summary" | "state" | "data">,
  plan: Plan,
  scale: Scale,
  summarize: Summarize | undefined,
  signal: AbortSignal | undefined,
): Promise<Summarized> {
  const { folded, replaced, room } = plan;
  if (folded === null || replaced === 0) return { fate: "not-needed", cost: free };
  if (room === 0) return { summary: null, fate: "no-room", cost: free };
  const previous = history.summary?.summary ?? null;
  const weigh = (summary: Summary) => scale.message(summaryMessage({ summary, replaced }));
  const blocks = blocksOf(history.data);
  const fall = (fate: SummarizerFate, cost = free, problem?: string): Summarized => {
    const fitting = fitSummary(
      withoutBlocks(digest(previous, folded, history.state), blocks),
      (candidate) => weigh(candidate) <= room,
    );
    const summary = fitting && { summary: fitting, replaced };
    return { summary, fate, cost, ...(problem !== undefined && { problem }) };
  };
  if (folded.length === 0) return fall("not-needed");
  if (summarize === undefined) return fall("absent");
  const request = {
    previous: copy(previous),
    messages: copy(folded.map((item) => item.message)),
    maxTokens: room,
    signal,
  };
  const input = folded.reduce((sum, item) => sum + scale.message(item.message), 0);
  const answer = await ask(summarize, request);
  if (answer.status !== "answered") return fall(answer.status, { input, output: 0 }, answer.problem);
  const read = readSummary(answer.value);
  if (read === null) return fall("empty", { input, output: 0 });
  const summary = withoutBlocks(read, blocks);
  const output = weigh(summary);
  return output > room
    ? fall("too-long", { input, output })
    : { summary: { summary, replaced }, fate: "used", cost: { input, output } };
}

type Answer =
  | { readonly status: "answered"; readonly value: unknown }
  | { readonly status: "failed" | "aborted"; readonly problem: string };

/** A summarizer that hangs is left behind when the caller's signal says so. */
async function ask(summarize: Summarize, request: SummaryRequest): Promise<Answer> {
  const { signal } = request;
  const aborted: Answer = { status: "aborted", problem: "the caller's signal ended it" };
  if (signal?.aborted) return aborted;
  let stop = () => {};
  const end = new Promise<Answer>((resolve) => {
    stop = () => resolve(aborted);
  });
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const work = Promise.resolve(summarize(request)).then(
      (value): Answer => ({ status: "answered", value }),
      (error: unknown): Answer => ({ status: "failed", problem: String(error) }),
    );
    return await Promise.race([work, end]);
  } catch (error) {
    return { status: "failed", problem: String(error) };
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
