import type { Wire } from "../wire.ts";
import { anthropicBadRequest, anthropicError, anthropicStreamError } from "./errors.ts";
import { anthropicBlocks, readAnthropic } from "./read.ts";
import { anthropicRefusal, anthropicReply } from "./reply.ts";
import { anthropicRequestProblems } from "./rules.ts";

export const anthropicWire: Wire = {
  path: "/v1/messages",
  problems: anthropicRequestProblems,
  read: readAnthropic,
  blocks: anthropicBlocks,
  reply: anthropicReply,
  refusal: anthropicRefusal,
  error: anthropicError,
  streamError: anthropicStreamError,
  badRequest: anthropicBadRequest,
};
