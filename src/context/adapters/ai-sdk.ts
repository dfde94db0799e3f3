import type { ModelMessage, SystemMessage } from "../conversation/message.ts";
import { type CacheControl, type CacheOption, cacheControlOf, isVolatile, markedTurns } from "./cache.ts";
import { isKept } from "./kept-blocks.ts";
import { systemNote } from "./wire.ts";

export interface AiSdkOptions {
  /** Marks the system prompt and the last stable turns for Anthropic's prompt cache. Other providers ignore marks. */
  readonly cache?: CacheOption;
}

/** The prompt of a call of `generateText` or `streamText`. */
export interface AiSdkPrompt {
  /** Text, or with a cache mark a message: text cannot carry one. */
  system?: string | SystemMessage;
  messages: ModelMessage[];
}

/**
 * Converts the result of `context.messages()`. Providers accept system messages only at the beginning, so later notes
 * get the role user. Leaves out what `fromAnthropic` and `fromOpenAiResponses` kept of the providers' own tools: the AI
 * SDK has its own form for that.
 */
export function toAiSdk(messages: readonly ModelMessage[], { cache = false }: AiSdkOptions = {}): AiSdkPrompt {
  const [first, ...others] = messages;
  const system = first?.role === "system" ? first : null;
  const conversation = (system === null ? messages : others).flatMap(promptMessage);
  const mark = cacheControlOf(cache);
  if (mark === null) return { ...(system !== null && { system: system.content }), messages: conversation };
  const ends = stableEnds(conversation);
  return {
    ...(system !== null && { system: marked(system, mark) }),
    messages: conversation.map((message, index) => (ends.has(index) ? marked(message, mark) : message)),
  };
}

function promptMessage(message: ModelMessage): ModelMessage[] {
  if (message.role === "system") return [{ ...message, role: "user", content: systemNote(message.content) }];
  if (message.role !== "assistant" || typeof message.content === "string") return [message];
  const content = message.content.filter((part) => !isKept(part));
  if (content.length === message.content.length) return [message];
  return content.every(({ type }) => type === "reasoning") ? [] : [{ ...message, content }];
}

/** Where the last turns of the user end, without what changes with every request. */
function stableEnds(messages: readonly ModelMessage[]): ReadonlySet<number> {
  const ends = messages.flatMap((message, index) => {
    const next = messages[index + 1];
    const isEnd = next === undefined || next.role === "assistant" || isVolatile(next);
    return message.role !== "assistant" && !isVolatile(message) && isEnd ? [index] : [];
  });
  return new Set(ends.slice(-markedTurns));
}

/** A mark on a message applies to its last part. */
function marked<T extends ModelMessage>(message: T, mark: CacheControl): T {
  const { providerOptions } = message;
  const anthropic = { ...providerOptions?.anthropic, cacheControl: { ...mark } };
  return { ...message, providerOptions: { ...providerOptions, anthropic } };
}
