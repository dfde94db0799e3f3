import type OpenAI from "openai";
import { fromOpenAi, toOpenAi } from "../src/context/adapters/index.ts"; // "holdfast/context/adapters"
import { createContext } from "../src/context/index.ts"; // "holdfast/context"

const tools: OpenAI.ChatCompletionFunctionTool[] = [{ type: "function", function: { name: "today" } }];

/** An agent with one tool on OpenAI's Chat Completions API. */
export async function ask(question: string, client: OpenAI): Promise<string> {
  const limits = { window: 128_000, reserve: 16_000 };
  const context = createContext({ countTokens: (text) => text.length / 3, limits, tools });
  context.resetSystemPrompt("You answer in one sentence.");
  context.append("user", question);
  for (;;) {
    await context.compact();
    const reply = await client.chat.completions.create({ model: "gpt-5", tools, ...toOpenAi(context.messages()) });
    const choice = reply.choices[0];
    if (choice === undefined) throw new Error("the reply is empty");
    const truncated = choice.finish_reason === "length";
    context.append("assistant", fromOpenAi(choice.message), { truncated });
    const calls = context.outstanding();
    for (const { toolCallId, toolName } of calls) {
      const output = { type: "text", value: "Monday" } as const;
      context.append("tool", [{ type: "tool-result", toolCallId, toolName, output }]);
    }
    if (calls.length === 0) return choice.message.content ?? "";
  }
}
