import type Anthropic from "@anthropic-ai/sdk";
import { fromAnthropic, toAnthropic } from "../src/context/adapters/index.ts"; // "holdfast/context/adapters"
import { createContext } from "../src/context/index.ts"; // "holdfast/context"

const tools: Anthropic.Tool[] = [{ name: "today", input_schema: { type: "object", properties: {} } }];

/** An agent with one tool on Anthropic's Messages API, with prompt caching. */
export async function ask(question: string, client: Anthropic): Promise<string> {
  const limits = { window: 200_000, reserve: 16_000 };
  const context = createContext({ countTokens: (text) => text.length / 3, limits, tools });
  context.resetSystemPrompt("You answer in one sentence.");
  context.append("user", question);
  for (;;) {
    await context.compact();
    const body = toAnthropic(context.messages(), { cache: true });
    const reply = await client.messages.create({ model: "claude-sonnet-5-5", max_tokens: 1_000, tools, ...body });
    const truncated = reply.stop_reason === "max_tokens";
    context.append("assistant", fromAnthropic(reply.content), { truncated });
    const calls = context.outstanding();
    for (const { toolCallId, toolName } of calls) {
      const output = { type: "text", value: "Monday" } as const;
      context.append("tool", [{ type: "tool-result", toolCallId, toolName, output }]);
    }
    if (calls.length === 0) return reply.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  }
}
