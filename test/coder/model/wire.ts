import type { ErrorKind, ModelReply } from "./answer.ts";
import type { Fields } from "./json.ts";
import type { CacheBlock } from "./prompt-cache.ts";
import type { Conversation } from "./request.ts";

/** How one provider's API is spoken. */
export interface Wire {
  readonly path: string;
  /** What the provider would refuse in this request; empty when it is fine. */
  problems(body: Fields, headers: Fields): string[];
  read(body: Fields): Conversation;
  /** What can be cached, in the order in which the provider puts the request together. */
  blocks(body: Fields): CacheBlock[];
  /** A whole reply, and the same as the frames of its stream. */
  reply(reply: ModelReply, body: Fields, usage: Usage): WholeReply;
  /** The model declines to answer, which is a reply of its own kind. */
  refusal(body: Fields, usage: Usage): WholeReply;
  /** What comes instead of a reply. */
  error(kind: HttpErrorKind, retryAfter: number | undefined): HttpError;
  /** What comes in the middle of a stream. */
  streamError(kind: HttpErrorKind, body: Fields): string;
  /** A refusal of a request that breaks the rules. */
  badRequest(message: string): HttpError;
}

export type HttpErrorKind = Exclude<ErrorKind, "refusal">;

export interface WholeReply {
  readonly value: object;
  readonly frames: readonly string[];
}

export interface HttpError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: object;
}

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWritten: number;
}
