import { textIn } from "../../../clients/text-in.ts";
import { type Fields, fields, list, string } from "../json.ts";
import type { CacheBlock } from "../prompt-cache.ts";
import { type Conversation, gather, type MessagePart } from "../request.ts";

export function readAnthropic({ system, messages, tools }: Fields): Conversation {
  const parts = list(messages)
    .map(fields)
    .flatMap(({ role, content }) =>
      blocksOf(content).flatMap((block) =>
        partOf(block).map((part) => [role === "assistant" ? "assistant" : "user", part] as const),
      ),
    );
  return {
    system: textIn(system),
    messages: gather(parts),
    tools: list(tools).map((tool) => string(fields(tool).name)),
  };
}

export function blocksOf(content: unknown): Fields[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : list(content).map(fields);
}

function partOf(block: Fields): MessagePart[] {
  const { type, id, tool_use_id, name, input, content, is_error } = block;
  if (type === "text") return [{ type: "text", text: string(block.text) }];
  if (type === "thinking") return [{ type: "thinking", text: string(block.thinking) }];
  if (type === "tool_use") return [{ type: "call", id: string(id), name: string(name), input }];
  if (type !== "tool_result") return [];
  return [{ type: "result", id: string(tool_use_id), text: textIn(content), isError: is_error === true }];
}

/** Tools come first, then the system prompt, then the conversation. */
export function anthropicBlocks({ system, messages, tools }: Fields): CacheBlock[] {
  const turns = list(messages).map(fields);
  return [
    ...list(tools).map(fields),
    ...blocksOf(system ?? []),
    ...turns.flatMap(({ role, content }) => blocksOf(content).map((block) => ({ role, ...block }))),
  ].map(({ cache_control: mark, ...block }: Fields) => ({
    bytes: JSON.stringify(block),
    isMarked: mark !== undefined,
  }));
}
