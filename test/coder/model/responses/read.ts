import { textIn } from "../../../clients/text-in.ts";
import { parsed } from "../chat/read.ts";
import { type Fields, fields, list, string } from "../json.ts";
import type { CacheBlock } from "../prompt-cache.ts";
import { type Conversation, gather, type MessagePart } from "../request.ts";
import { storedItem } from "./stored-items.ts";

export function readResponses(body: Fields): Conversation {
  const items = itemsOf(body);
  const parts = items
    .filter((item) => !isSystem(item))
    .flatMap((item) => partOf(item).map((part) => [speaker(item), part] as const));
  return {
    system: textIn([body.instructions, items.filter(isSystem)]),
    messages: gather(parts),
    tools: list(body.tools).map((tool) => string(fields(tool).name)),
  };
}

/** The items of the input, each that is only named by its id in full. */
export function itemsOf({ input }: Fields): Fields[] {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : list(input).map(fields);
  return items.map((item) => (item.type === "item_reference" ? (storedItem(string(item.id)) ?? item) : item));
}

export function isSystem({ role }: Fields): boolean {
  return role === "system" || role === "developer";
}

function speaker({ type, role }: Fields): "user" | "assistant" {
  return role === "assistant" || type === "function_call" || type === "reasoning" ? "assistant" : "user";
}

function partOf({ type, content, summary, call_id, name, arguments: words, output }: Fields): MessagePart[] {
  if (type === "reasoning") return [{ type: "thinking", text: textIn(summary) }];
  if (type === "function_call") {
    return [{ type: "call", id: string(call_id), name: string(name), input: parsed(string(words)) }];
  }
  if (type === "function_call_output") {
    return [{ type: "result", id: string(call_id), text: textIn(output), isError: false }];
  }
  return [{ type: "text", text: textIn(content) }];
}

/** Marks are not needed: a cached beginning may end behind any item. */
export function responsesBlocks({ instructions, input, tools }: Fields): CacheBlock[] {
  const first = instructions === undefined ? [] : [instructions];
  const items = typeof input === "string" ? [input] : list(input);
  return [...list(tools), ...first, ...items].map((part) => ({ bytes: JSON.stringify(part), isMarked: true }));
}
