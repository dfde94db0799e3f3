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

/** What the model at the other end takes. */
export interface ModelOptions {
  readonly countTokens: CountTokens;
  readonly limits: {
    /** All tokens that a request and its reply may have. */
    readonly window: number;
    /** Of these, kept free for the reply. */
    readonly reserve?: number;
  };
  /** The tools as they are sent; they are counted, nothing else. */
  readonly tools?: readonly unknown[];
}

export interface ContextOptions extends ModelOptions {
  readonly summarize?: Summarize;
  /** The sources of messages that compaction never takes away; feedback, question and answer by default. */
  readonly pins?: readonly string[];
  readonly states?: States;
  /** What transitions do to the conversation; `coderPolicy` by default. */
  readonly policy?: Policy;
  /** The share of the target that a compaction frees below it, so that it does not run at every turn; 0.3 by default. */
  readonly headroom?: number;
}

/** Keeps what is sent to a model: a system prompt at index 0 and a rolling conversation. Everything out is a copy. */
export interface Context {
  systemPrompt(): SystemMessage | undefined;
  conversation(): ModelMessage[];
  /** [system, ...conversation], ready to send; a typed error while results are outstanding. */
  messages(): ModelMessage[];
  resetSystemPrompt(text: string, options?: { readonly conversation?: "keep" | "clear" }): void;
  /** Takes text or parts as the AI SDK has them, and checks them. The message's id, or null when nothing was in it. */
  append(role: Role, content: ModelMessage["content"] | readonly object[], options?: AppendOptions): string | null;
  /** The calls that still wait for a result. */
  outstanding(): ToolCallPart[];
  /** Answers every outstanding call with "interrupted", and says which. */
  repair(): string[];
  /** A text that changes from turn to turn. It goes last and is not part of the conversation; null takes it away. */
  setVolatile(text: string | null): void;
  /** Renders index 0 anew from the state's template, and does to the conversation what the policy says. */
  enter(state: string, data?: Slots, options?: EnterOptions): Explanation;
  explain(from: string, to: string, reason?: string): Explanation;
  state(): string | null;
  data(): Slots;
  tokens(): number;
  /** Window less reserve: how many tokens a request may have. */
  limit(): number;
  /** All input tokens that the provider counted, cached ones too, for what was just sent: before the reply is appended. */
  reportUsage(inputTokens: number): void;
  /** Another model: messages are weighed anew, and the limit is its own. */
  useModel(model: ModelOptions): void;
  compact(maxTokens?: number, options?: { readonly signal?: AbortSignal }): Promise<CompactionReport>;
  /** The whole of an output or a message that was cleared, shortened or dropped. */
  readOutput(id: string, options?: { readonly from?: number; readonly count?: number }): Output;
  /** Every message that ever arrived, also those that left the window. */
  log(): LogEntry[];
  /** The conversation as text, one line for each thing that happened; `after` leaves out the lines already written. */
  save(options?: { readonly after?: number }): string;
  /** How many lines `save()` has now. */
  savedLines(): number;
}
