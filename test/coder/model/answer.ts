import type { ToolCall } from "../../clients/reply.ts";

/** What a scripted model does with a request: it answers, the provider refuses, or something on the way breaks. */
export type ModelAnswer = ModelReply | ModelError | Breakage;

export interface ModelReply {
  readonly thinking?: string;
  readonly text?: string;
  /** All of them in this one reply, in order. */
  readonly calls?: readonly ToolCall[];
  readonly usage?: ReplyUsage;
  /** Why the reply ends, where it is not for its calls; `length` is the limit of output tokens. */
  readonly stop?: "end" | "length";
}

export interface ReplyUsage {
  /** With what was read from the cache. Without it, a token is four bytes of the request. */
  readonly input?: number;
  readonly output?: number;
  /** Without it, what an earlier request has left in the cache. */
  readonly cacheRead?: number;
}

export const errorKinds = [
  "overloaded",
  "rate-limit",
  "no-credit",
  "bad-key",
  "no-model",
  "overflow",
  "refusal",
  "server",
] as const;
export type ErrorKind = (typeof errorKinds)[number];

export interface ModelError {
  readonly error: ErrorKind;
  /** In seconds. */
  readonly retryAfter?: number;
  /** The first half of this reply is streamed before the error comes, in the stream. */
  readonly after?: ModelReply;
}

export interface Breakage {
  /**
   * `garbage` is an event that is no JSON, `cut` a connection that is lost, `hang` silence without an end, and `empty` a
   * stream without one event.
   */
  readonly broken: "garbage" | "cut" | "hang" | "empty";
  /** The first half of this reply is streamed before; without it, not one byte is. */
  readonly after?: ModelReply;
}
