import type { ContextOptions } from "../context/context.ts";
import { isRecord, parseJson } from "../model/json.ts";
import { type ModelRequest, receive, sumOf } from "./ask-model.ts";
import type { Provider } from "./providers.ts";
import type { CoderSettings } from "./settings.ts";

type Summarize = NonNullable<ContextOptions["summarize"]>;
type SummaryRequest = Parameters<Summarize>[0];

interface SummarizingCoder {
  readonly provider: Pick<Provider, "caches">;
  readonly settings: Pick<CoderSettings, "summary">;
}

/** Lets the model that works sum up what leaves its window. Whatever goes wrong, the context makes a digest instead. */
export interface Summarizer {
  /** For the context; empty if the user wants no such summaries. */
  readonly options: { readonly summarize?: Summarize };
  /** How the model is asked from now on. */
  use(request: ModelRequest): void;
  /** The provider has refused the conversation as too long, so it is not sent once more. */
  skipOne(): void;
}

export function createSummarizer({ provider, settings }: SummarizingCoder, window: number): Summarizer {
  const isWanted = settings.summary === undefined ? provider.caches : settings.summary === "model";
  let asked: ModelRequest | null = null;
  let isTooLong = false;
  const summarize: Summarize = async (request) => {
    const isSkipped = isTooLong;
    isTooLong = false;
    if (asked === null) throw new Error("no model was asked yet");
    if (isSkipped || asked.context.tokens() + mostOutput > window) throw new Error("the conversation does not fit");
    return fitted(readReply(await ask(asked, request)), request.maxTokens);
  };
  return {
    options: isWanted ? { summarize } : {},
    use(request) {
      asked = request;
      isTooLong = false;
    },
    skipOne() {
      isTooLong = true;
    },
  };
}

/** A model that thinks needs more than the summary itself. */
const mostOutput = 4_000;

/**
 * Sends the conversation as it was sent last, with its tools, and behind it the wish for a summary: so the provider has all
 * but the end in its cache. It is no part of the conversation.
 */
async function ask(asked: ModelRequest, { maxTokens, signal }: SummaryRequest): Promise<string> {
  const { context, onEvent } = asked;
  const wish = { role: "user" as const, content: wishText(maxTokens) };
  const request = { ...asked, maxOutputTokens: mostOutput, signal: signal ?? asked.signal };
  const result = await receive(request, [...context.messages(), wish]);
  const [{ inputTokens, outputTokens }, why, text, calls] = await Promise.all([
    ...([result.usage, result.finishReason, result.text, result.toolCalls] as const),
  ]);
  // No turn of the agent, but it is paid for.
  onEvent({ type: "usage", turns: 0, tokens: sumOf(inputTokens, outputTokens) });
  if (calls.length > 0 || why !== "stop") throw new Error(`the model did not answer with a summary (${why})`);
  return text;
}

function wishText(maxTokens: number): string {
  return `The conversation becomes too long: its oldest messages are about to be replaced by a summary that you write now. Call no tool.
Answer with one JSON object and nothing else, at most ${Math.floor(maxTokens / 2)} words in all, each entry one short line:
{"goal": "...", "constraints": [], "done": [], "decisions": [], "next": [], "filesRead": [], "filesChanged": []}
Name what was decided and why, what was found out, what failed, and which files, functions and commands matter. Repeat what is still true
of an earlier summary. Leave out what the system prompt says.`;
}

function readReply(text: string): Record<string, unknown> {
  const value = parseJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  if (!isRecord(value)) throw new Error("the model's summary is no JSON object");
  return value;
}

/** What is given up first where a summary is too long. */
const leastNeeded = ["filesRead", "done", "filesChanged", "constraints", "decisions", "next"] as const;
const charactersPerToken = 3;

/** A summary that is a bit too long loses its oldest entries rather than counting for nothing. */
function fitted(summary: Record<string, unknown>, maxTokens: number): Record<string, unknown> {
  const lists = { ...summary };
  let excess = JSON.stringify(lists).length - maxTokens * charactersPerToken;
  for (const name of leastNeeded) {
    const list = lists[name];
    if (!Array.isArray(list)) continue;
    let left = 0;
    for (; left < list.length && excess > 0; left++) excess -= JSON.stringify(list[left]).length + 1;
    lists[name] = list.slice(left);
  }
  return lists;
}
