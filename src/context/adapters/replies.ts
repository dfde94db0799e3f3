import { ContextError } from "../conversation/context-error.ts";
import type { AssistantPart, JsonValue } from "../conversation/message.ts";
import { keepCall, keepResult } from "./kept-blocks.ts";

/** A block of a reply. Any type is accepted, so that blocks of newer SDKs are, too. */
export interface ReplyBlock {
  readonly type: string;
}

type KnownBlock =
  | { readonly type: "text"; readonly text: string; readonly citations?: JsonValue[] | null }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly caller?: { readonly type: string };
    };

/**
 * Converts Anthropic's reply for `append("assistant", ...)`. Thoughts keep their signatures, and what Anthropic's own
 * tools did is kept as it is.
 */
export function fromAnthropic(content: readonly ReplyBlock[]): AssistantPart[] {
  return content.map((one): AssistantPart => {
    const block = one as KnownBlock;
    switch (block.type) {
      case "text":
        return { type: "text", text: block.text, ...anthropicOptions("citations", block.citations ?? undefined) };
      case "thinking":
        return { type: "reasoning", text: block.thinking, ...anthropicOptions("signature", block.signature) };
      case "redacted_thinking":
        return { type: "reasoning", text: "", ...anthropicOptions("redactedData", block.data) };
      case "tool_use": {
        const caller = block.caller?.type === "direct" ? undefined : (block.caller as JsonValue | undefined);
        const call = { toolCallId: block.id, toolName: block.name, input: block.input };
        return { type: "tool-call", ...call, ...anthropicOptions("caller", caller) };
      }
      default:
        return keepServerBlock(one);
    }
  });
}

function anthropicOptions(key: string, value: JsonValue | undefined): Pick<AssistantPart, "providerOptions"> {
  return value === undefined ? {} : { providerOptions: { anthropic: { [key]: value } } };
}

/** Media and results of our own tools are never part of a reply; every other block comes from a tool of the provider. */
const requestOnly: readonly string[] = ["image", "document", "search_result", "tool_result"];

function keepServerBlock(block: ReplyBlock): AssistantPart {
  if (requestOnly.includes(block.type)) {
    throw new ContextError("part-unsupported", { provider: "A context", part: block.type });
  }
  return "tool_use_id" in block ? keepResult("anthropic", block) : keepCall("anthropic", block);
}

/** The reply of a chat completion, `choices[0].message`. */
export interface OpenAiReply {
  readonly content: string | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: string;
    readonly function?: { readonly name: string; readonly arguments: string };
  }[];
}

/** Converts OpenAI's reply for `append("assistant", ...)`. */
export function fromOpenAi(message: OpenAiReply): AssistantPart[] {
  const text = message.content ?? message.refusal ?? null;
  const words: AssistantPart[] = text === null ? [] : [{ type: "text", text }];
  const calls = (message.tool_calls ?? []).map(({ id, type, function: called }): AssistantPart => {
    if (called === undefined) throw new ContextError("part-unsupported", { provider: "A context", part: type });
    return { type: "tool-call", toolCallId: id, toolName: called.name, input: parseArguments(called.arguments) };
  });
  return [...words, ...calls];
}

/** Models sometimes write invalid JSON as arguments; the text is passed on, and the tool must report it. */
export function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
