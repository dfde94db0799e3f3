import { ContextError } from "../conversation/context-error.ts";
import type { ModelMessage } from "../conversation/message.ts";
import { type AnthropicBlock, assistantBlocks, resultBlock, type TextBlock, userBlock } from "./anthropic-blocks.ts";
import { type CacheControl, type CacheOption, cacheControlOf, isVolatile, markedTurns } from "./cache.ts";
import { systemNote } from "./wire.ts";

export interface AnthropicMessage {
  role: "user" | "assistant";
  content: AnthropicBlock[];
}

/** The messages part of a request to Anthropic's Messages API. */
export interface AnthropicBody {
  system?: TextBlock[];
  messages: AnthropicMessage[];
}

export interface AnthropicOptions {
  /** Adds cache breakpoints to the system prompt and the last stable turns: three of the four allowed. */
  readonly cache?: CacheOption;
}

interface Turn extends AnthropicMessage {
  /** The number of blocks at the end that change with every request. */
  volatile: number;
}

/** Converts the result of `context.messages()`. Adjacent messages of one role become one turn, tool results first. */
export function toAnthropic(
  messages: readonly ModelMessage[],
  { cache = false }: AnthropicOptions = {},
): AnthropicBody {
  const [first, ...others] = messages;
  const system = first?.role === "system" ? first : null;
  const turns: Turn[] = [];
  for (const message of system === null ? messages : others) addTurn(turns, message);
  if (turns.length === 0) throw new ContextError("request-empty", {});
  trimEnd(turns.at(-1));
  const blocks: TextBlock[] = system === null ? [] : [{ type: "text", text: system.content }];
  const mark = cacheControlOf(cache);
  if (mark !== null) markStable(blocks, turns, mark);
  return {
    ...(blocks.length > 0 && { system: blocks }),
    messages: turns.map(({ role, content }) => ({ role, content })),
  };
}

function addTurn(turns: Turn[], message: ModelMessage): void {
  const role = message.role === "assistant" ? "assistant" : "user";
  const content = blocksOf(message);
  if (content.length === 0) return;
  const volatile = isVolatile(message) ? content.length : 0;
  const last = turns.at(-1);
  if (last?.role !== role) {
    turns.push({ role, content, volatile });
    return;
  }
  last.content = role === "assistant" ? joinReplies(last.content, content) : [...last.content, ...content];
  last.volatile = volatile;
}

/** A turn with thoughts must begin with them, so text before them is moved after them. Other blocks keep their order. */
function joinReplies(before: AnthropicBlock[], after: AnthropicBlock[]): AnthropicBlock[] {
  const thoughts = after.findIndex((block) => !isThought(block));
  const count = thoughts === -1 ? after.length : thoughts;
  if (count === 0 || before.some(({ type }) => type !== "text")) return [...before, ...after];
  return [...after.slice(0, count), ...before, ...after.slice(count)];
}

function isThought({ type }: AnthropicBlock): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function blocksOf(message: ModelMessage): AnthropicBlock[] {
  switch (message.role) {
    case "system":
      return [{ type: "text", text: systemNote(message.content) }];
    case "user":
      if (typeof message.content === "string") return [{ type: "text", text: message.content }];
      return message.content.flatMap(userBlock);
    case "assistant":
      return assistantBlocks(message);
    case "tool":
      return message.content.map(resultBlock);
  }
}

/** An assistant message at the end (a prefill) must not end with whitespace. */
function trimEnd(turn: Turn | undefined): void {
  const block = turn?.content.at(-1);
  if (turn?.role === "assistant" && block?.type === "text") {
    turn.content = [...turn.content.slice(0, -1), { ...block, text: block.text.trimEnd() }];
  }
}

function markStable(system: TextBlock[], turns: readonly Turn[], mark: CacheControl): void {
  const prompt = system.at(-1);
  if (prompt !== undefined) prompt.cache_control = { ...mark };
  const users = turns.filter((turn) => turn.role === "user" && turn.content.length > turn.volatile);
  for (const { content, volatile } of users.slice(-markedTurns)) {
    const block = content[content.length - volatile - 1];
    if (block !== undefined && "type" in block && !isThought(block))
      Object.assign(block, { cache_control: { ...mark } });
  }
}
