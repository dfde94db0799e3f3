import type OpenAI from "openai";
import { fromOpenAiResponses, toOpenAiResponses } from "../src/context/adapters/index.ts"; // "holdfast/context/adapters"
import { createContext } from "../src/context/index.ts"; // "holdfast/context"

const parameters = { type: "object", properties: {}, additionalProperties: false, required: [] };
const tools: OpenAI.Responses.FunctionTool[] = [{ type: "function", name: "today", parameters, strict: true }];

/** An agent with one tool on OpenAI's Responses API. OpenAI stores nothing; reasoning travels encrypted. */
export async function ask(question: string, client: OpenAI): Promise<string> {
  const limits = { window: 400_000, reserve: 100_000 };
  const context = createContext({ countTokens: (text) => text.length / 3, limits, tools });
  context.resetSystemPrompt("You answer in one sentence.");
  context.append("user", question);
  for (;;) {
    await context.compact();
    const reply = await client.responses.create({
      model: "gpt-5",
      store: false,
      include: ["reasoning.encrypted_content"],
      tools,
      ...toOpenAiResponses(context.messages()),
    });
    const truncated = reply.status === "incomplete";
    context.append("assistant", fromOpenAiResponses(reply.output), { truncated });
    const calls = context.outstanding();
    for (const { toolCallId, toolName } of calls) {
      const output = { type: "text", value: "Monday" } as const;
      context.append("tool", [{ type: "tool-result", toolCallId, toolName, output }]);
    }
    if (calls.length === 0) return reply.output_text;
  }
}
