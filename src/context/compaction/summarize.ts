import { blocksOf } from "../conversation/blocks.ts";
import { copy } from "../conversation/copy.ts";
import type { History } from "../conversation/history-types.ts";
import type { ModelMessage } from "../conversation/message.ts";
import type { Scale } from "../conversation/scale.ts";
import { type KeptSummary, readSummary, type Summary, summaryMessage, withoutBlocks } from "../conversation/summary.ts";
import { digest, fitSummary } from "./digest.ts";
import type { Plan } from "./plan.ts";

export interface SummaryRequest {
  /** The summary so far. The result replaces it, so it must repeat what is still true. */
  readonly previous: Summary | null;
  readonly messages: readonly ModelMessage[];
  readonly maxTokens: number;
  readonly signal: AbortSignal | undefined;
}

/** Usually calls a model. If it does not return a valid summary, the digest is used instead. */
export type Summarize = (request: SummaryRequest) => Promise<Partial<Summary>> | Partial<Summary>;

/** What happened to the summarizer. In all cases but "used" and "not-needed" the digest was used. */
export type SummarizerFate = "not-needed" | "used" | "absent" | "no-room" | "failed" | "aborted" | "empty" | "too-long";

export interface Summarized {
  /** Absent if the summary stays as it is, null if there is no room for one. */
  readonly summary?: KeptSummary | null;
  readonly fate: SummarizerFate;
  readonly problem?: string;
  /** The summarizer's input and output tokens. */
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

/** Stops waiting for a summarizer when the caller's signal aborts. */
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
