import { ContextError } from "../conversation/context-error.ts";
import type { AssistantPart } from "../conversation/message.ts";
import type { AnthropicBlock } from "./anthropic-blocks.ts";
import type { OpenAiMessage } from "./openai.ts";

/** Converts Anthropic's reply for `append("assistant", ...)`. Thoughts keep their signatures. */
export function fromAnthropic(content: readonly AnthropicBlock[]): AssistantPart[] {
  return content.map((block): AssistantPart => {
    switch (block.type) {
      case "text":
        return { type: "text", text: block.text };
      case "thinking":
        return {
          type: "reasoning",
          text: block.thinking,
          providerOptions: { anthropic: { signature: block.signature } },
        };
      case "redacted_thinking":
        return { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: block.data } } };
      case "tool_use":
        return { type: "tool-call", toolCallId: block.id, toolName: block.name, input: block.input };
      default:
        throw new ContextError("part-unsupported", { provider: "A context", part: block.type });
    }
  });
}

/** Converts OpenAI's reply for `append("assistant", ...)`. */
export function fromOpenAi(
  message: Pick<Extract<OpenAiMessage, { role: "assistant" }>, "content" | "tool_calls">,
): AssistantPart[] {
  const words: AssistantPart[] = message.content === null ? [] : [{ type: "text", text: message.content }];
  const calls = (message.tool_calls ?? []).map(
    (call): AssistantPart => ({
      type: "tool-call",
      toolCallId: call.id,
      toolName: call.function.name,
      input: parseArguments(call.function.arguments),
    }),
  );
  return [...words, ...calls];
}

/** Models sometimes write invalid JSON as arguments; the text is passed on, and the tool must report it. */
function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
