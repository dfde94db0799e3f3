import { openAiProblems } from "../../../context/adapters/openai-rules.ts";
import { type Fields, fields, found, list, string } from "../json.ts";
import { openAiBadRequest, openAiError } from "../openai-errors.ts";
import type { Wire } from "../wire.ts";
import { chatBlocks, isSystem, readChat } from "./read.ts";
import { chatRefusal, chatReply, chatStreamError } from "./reply.ts";

export const chatWire: Wire = {
  path: "/v1/chat/completions",
  problems: chatProblems,
  read: readChat,
  blocks: chatBlocks,
  reply: chatReply,
  refusal: chatRefusal,
  error: openAiError,
  streamError: chatStreamError,
  badRequest: openAiBadRequest,
};

function chatProblems({ messages, tools }: Fields, headers: Fields): string[] {
  const all = list(messages).map(fields);
  const head = all.findIndex((message) => !isSystem(message));
  const named = all.map((message) => (message.role === "developer" ? { ...message, role: "system" } : message));
  const names = list(tools).map((tool) => string(fields(fields(tool).function).name));
  return [
    ...found([
      [!string(headers.authorization).startsWith("Bearer "), "no API key"],
      [head >= 0 && all.slice(head).some(isSystem), "a system message behind the first of the user"],
      [new Set(names).size < names.length, "a tool name twice"],
      [tools !== undefined && names.length === 0, "tools is an empty list"],
      ...names.map((name) => [!/^[a-zA-Z0-9_-]{1,64}$/.test(name), `tool name ${name}`] as const),
    ]),
    ...openAiProblems({ messages: named }),
  ];
}
