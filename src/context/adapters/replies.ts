import { ContextError } from "../conversation/context-error.ts";
import type { AssistantPart } from "../conversation/message.ts";
import type { AnthropicBlock } from "./anthropic-blocks.ts";
import type { OpenAiMessage } from "./openai.ts";

/** The content of Anthropic's reply, as `append("assistant", ...)` takes it. Thoughts keep their signatures. */
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

/** The message of OpenAI's reply, as `append("assistant", ...)` takes it. */
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

/** Models write arguments; sometimes they are no JSON, and then the tool has to say so. */
function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
