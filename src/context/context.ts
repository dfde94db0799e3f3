import type { CompactionReport } from "./compaction/compaction.ts";
import type { Summarize } from "./compaction/summarize.ts";
import type { AppendOptions } from "./conversation/arrive.ts";
import type { ModelMessage, Role, SystemMessage, ToolCallPart } from "./conversation/message.ts";
import type { Policy } from "./conversation/policy.ts";
import type { CountTokens } from "./conversation/scale.ts";
import type { Slots } from "./conversation/slots.ts";
import type { EnterOptions, States } from "./enter.ts";
import type { Explanation } from "./explain.ts";
import type { LogEntry, Output } from "./output.ts";

/** The limits and tools of the model. */
export interface ModelOptions {
  readonly countTokens: CountTokens;
  readonly limits: {
    /** The tokens of a request and its reply together. */
    readonly window: number;
    /** The part of the window that is reserved for the reply. */
    readonly reserve?: number;
  };
  /** The tools as they are sent; only used to count their tokens. */
  readonly tools?: readonly unknown[];
}

export interface ContextOptions extends ModelOptions {
  readonly summarize?: Summarize;
  /** Sources whose messages compaction never removes; by default feedback, question and answer. */
  readonly pins?: readonly string[];
  readonly states?: States;
  /** What transitions do to the conversation; by default `coderPolicy`. */
  readonly policy?: Policy;
  /**
   * How far below the target a compaction goes, as a share of it, so that it does not run every turn; by default 0.3.
   */
  readonly headroom?: number;
}

/** Manages what is sent to a model: a system prompt at index 0 and a rolling conversation. Returns copies only. */
export interface Context {
  systemPrompt(): SystemMessage | undefined;
  conversation(): ModelMessage[];
  /** [system, ...conversation], ready to send; throws `calls-outstanding` while tool results are missing. */
  messages(): ModelMessage[];
  resetSystemPrompt(text: string, options?: { readonly conversation?: "keep" | "clear" }): void;
  /** Appends text or AI SDK parts after checking them. Returns the message's id, or null if it was empty. */
  append(role: Role, content: ModelMessage["content"] | readonly object[], options?: AppendOptions): string | null;
  /** The tool calls that still wait for a result. */
  outstanding(): ToolCallPart[];
  /** Answers every outstanding call with "interrupted" and returns their ids. */
  repair(): string[];
  /** Sets a text that changes every turn. It is sent last and is not part of the conversation; null removes it. */
  setVolatile(text: string | null): void;
  /** Enters a state: renders its system prompt and keeps or clears the conversation as the policy says. */
  enter(state: string, data?: Slots, options?: EnterOptions): Explanation;
  explain(from: string, to: string, reason?: string): Explanation;
  state(): string | null;
  data(): Slots;
  tokens(): number;
  /** The token limit of a request: the window minus the reserve. */
  limit(): number;
  /**
   * Reports the provider's input tokens, including cached ones, for the last request. Call it before appending the
   * reply.
   */
  reportUsage(inputTokens: number): void;
  /** Switches to another model: counts all messages again and uses its limit. */
  useModel(model: ModelOptions): void;
  compact(maxTokens?: number, options?: { readonly signal?: AbortSignal }): Promise<CompactionReport>;
  /** The full text of an output or message that was cleared, shortened or dropped. */
  readOutput(id: string, options?: { readonly from?: number; readonly count?: number }): Output;
  /** Every message ever appended, including those that left the window. */
  log(): LogEntry[];
  /** The conversation as text, one line per record; `after` skips lines that are already saved. */
  save(options?: { readonly after?: number }): string;
  /** The number of lines that `save()` returns now. */
  savedLines(): number;
}
