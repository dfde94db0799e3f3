import { textIn } from "../../../clients/text-in.ts";
import { type Fields, fields, list, string } from "../json.ts";
import type { CacheBlock } from "../prompt-cache.ts";
import { type Conversation, gather, type MessagePart } from "../request.ts";

export function readChat({ messages, tools }: Fields): Conversation {
  const all = list(messages).map(fields);
  const parts = all
    .filter((message) => !isSystem(message))
    .flatMap((message) =>
      partsOf(message).map((part) => [message.role === "assistant" ? "assistant" : "user", part] as const),
    );
  return {
    system: textIn(all.filter(isSystem)),
    messages: gather(parts),
    tools: list(tools).map((tool) => string(fields(fields(tool).function).name)),
  };
}

export function isSystem({ role }: Fields): boolean {
  return role === "system" || role === "developer";
}

function partsOf({ role, content, tool_call_id, tool_calls, reasoning_content }: Fields): MessagePart[] {
  const text = textIn(content);
  if (role === "tool") return [{ type: "result", id: string(tool_call_id), text, isError: false }];
  const thinking = string(reasoning_content);
  return [
    ...(thinking === "" ? [] : [{ type: "thinking" as const, text: thinking }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...list(tool_calls).map(fields).map(callOf),
  ];
}

function callOf({ id, function: called }: Fields): MessagePart {
  const { name, arguments: words } = fields(called);
  return { type: "call", id: string(id), name: string(name), input: parsed(string(words)) };
}

/** The arguments as the model wrote them where they are no JSON. */
export function parsed(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return words;
  }
}

/** Marks are not needed: a cached beginning may end behind any message. */
export function chatBlocks({ messages, tools }: Fields): CacheBlock[] {
  return [...list(tools), ...list(messages)].map((part) => ({ bytes: JSON.stringify(part), isMarked: true }));
}
