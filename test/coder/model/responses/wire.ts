import { openAiBadRequest, openAiError } from "../openai-errors.ts";
import type { Wire } from "../wire.ts";
import { readResponses, responsesBlocks } from "./read.ts";
import { responsesRefusal, responsesReply, responsesStreamError } from "./reply.ts";
import { responsesProblems } from "./rules.ts";

export const responsesWire: Wire = {
  path: "/v1/responses",
  problems: responsesProblems,
  read: readResponses,
  blocks: responsesBlocks,
  reply: responsesReply,
  refusal: responsesRefusal,
  error: openAiError,
  streamError: responsesStreamError,
  badRequest: openAiBadRequest,
};
