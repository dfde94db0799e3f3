import type { AssistantModelMessage, LanguageModel, ModelMessage as SdkMessage, ToolModelMessage, ToolSet } from "ai";
import { toAiSdk } from "../context/adapters/ai-sdk.ts";
import type { Context } from "../context/context.ts";
import { isContextError } from "../context/conversation/context-error.ts";
import type { ModelMessage, ProviderOptions } from "../context/conversation/message.ts";
import { isOverflowError, sendOrCompact } from "../context/overflow.ts";
import type { AgentEvent, AgentFailure } from "../runner/agents/agent.ts";
import { failureOf } from "./failures.ts";

/** One request to the model, after which the context has its reply. */
export interface ModelRequest {
  readonly context: Context;
  readonly model: LanguageModel;
  readonly tools: ToolSet;
  readonly options: ProviderOptions;
  readonly maxOutputTokens: number;
  readonly signal: AbortSignal;
  /** The provider says that the conversation is too long. */
  onOverflow(): void;
  onEvent(event: AgentEvent): void;
}

/** What the model has said. Those of its calls that can be carried out are open in the context. */
export type Reply =
  | { readonly text: string; readonly isCut: boolean; readonly calls: number }
  | { readonly failure: AgentFailure };

/** Asks the model once, and after a compaction a second time if the provider says that it was too much. */
export async function askModel(request: ModelRequest): Promise<Reply> {
  const { context, signal } = request;
  try {
    await context.compact(undefined, { signal });
    const isOverflow = (error: unknown) => {
      const isTooLong = isOverflowError(error);
      if (isTooLong) request.onOverflow();
      return isTooLong;
    };
    return await sendOrCompact(context, () => send(request), { signal, isOverflow });
  } catch (error) {
    if (signal.aborted) return { failure: { kind: "lost", reason: "the turn was ended" } };
    if (isContextError(error)) {
      // What else the context refuses is a reply that no provider may give, such as a call id that was used before.
      return { failure: { kind: error.code === "cannot-shrink" ? "limit" : "garbage", reason: error.message } };
    }
    return { failure: failureOf(error, Date.now()) };
  }
}

async function send(request: ModelRequest): Promise<Reply> {
  const { context, onEvent } = request;
  const result = await receive(request, context.messages());
  const [{ messages: replies }, { inputTokens, outputTokens }, why, text, calls] = await Promise.all([
    ...([result.response, result.usage, result.finishReason, result.text, result.toolCalls] as const),
  ]);
  onEvent({ type: "usage", turns: 1, tokens: sumOf(inputTokens, outputTokens) });
  const failure = failureIn(why, text, calls.length);
  if (failure !== null) return { failure };
  if (inputTokens !== undefined && inputTokens > 0) context.reportUsage(inputTokens);
  const isCut = why === "length";
  for (const reply of replies) keepReply(context, reply, isCut);
  if (text.trim() !== "") onEvent({ type: "text", text: text.endsWith("\n") ? text : `${text}\n` });
  return { text, isCut, calls: isCut ? 0 : calls.length };
}

/** Sends messages and waits for the end of the reply. Throws the provider's error. */
export async function receive(
  { model, tools, options, maxOutputTokens, signal, onEvent }: ModelRequest,
  sent: readonly ModelMessage[],
) {
  const { streamText } = await import("ai");
  // The SDK would print warnings on the user's terminal about what another provider has left in the conversation.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { system, messages } = toAiSdk(sent, { cache: true });
  const result = streamText({
    model,
    ...(system !== undefined && { system }),
    // The library's messages have the same shape; only its types are written without the SDK's.
    messages: messages as SdkMessage[],
    ...{ tools, maxOutputTokens, maxRetries: 0, abortSignal: signal, providerOptions: options },
    // Errors come as parts of the stream.
    onError: () => {},
  });
  for await (const part of result.fullStream) {
    if (part.type === "error") throw part.error;
    if (part.type === "abort") throw new Error("the request was aborted");
    onEvent({ type: "alive" });
  }
  return result;
}

/** The SDK has answered the calls that it cannot read. A reply that was cut has no calls, so it gets no such answer. */
function keepReply(
  context: Context,
  { role, content }: AssistantModelMessage | ToolModelMessage,
  isCut: boolean,
): void {
  if (isCut && role === "tool") return;
  const kept = role === "assistant" && typeof content !== "string" ? withoutLooseIds(content) : content;
  context.append(role, kept as readonly object[], { source: "reply", ...(isCut && { truncated: true }) });
}

type SdkParts = Exclude<AssistantModelMessage["content"], string>;

/** OpenAI refuses an item by its id if the thinking before it is missing, and what it does not seal cannot be sent again. */
function withoutLooseIds(parts: SdkParts): SdkParts {
  const isLoose = (part: SdkParts[number]) =>
    part.type === "reasoning" && typeof part.providerOptions?.openai?.reasoningEncryptedContent !== "string";
  if (!parts.some(isLoose)) return parts;
  return parts.map((part) => {
    if (!("providerOptions" in part)) return part;
    const { openai: _, ...providerOptions } = part.providerOptions ?? {};
    return { ...part, providerOptions };
  });
}

/** Null if the provider tells neither. */
export function sumOf(input: number | undefined, output: number | undefined): number | null {
  return input === undefined && output === undefined ? null : (input ?? 0) + (output ?? 0);
}

/** A reply that is none. */
function failureIn(why: string, text: string, calls: number): AgentFailure | null {
  if (why === "content-filter") return { kind: "refused", reason: refusedText(text) };
  if (calls > 0 || text.trim() !== "") return null;
  return { kind: "empty", reason: `the model answered nothing (it ended with "${why}")` };
}

function refusedText(text: string): string {
  const said = text.trim().slice(0, 300);
  return said === "" ? "the model refuses to answer" : `the model refuses to answer: ${said}`;
}
