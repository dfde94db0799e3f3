import { generateText, type LanguageModel, stepCountIs, tool } from "ai";
import * as z from "zod";
import { appendLastStep, createPrepareStep } from "../src/context/adapters/index.ts"; // "holdfast/context/adapters"
import { createContext } from "../src/context/index.ts"; // "holdfast/context"

const today = tool({ inputSchema: z.object({}), execute: () => "Monday" });

/** An agent with one tool on the AI SDK, with any of its providers. */
export async function ask(question: string, model: LanguageModel): Promise<string> {
  const limits = { window: 200_000, reserve: 16_000 };
  const context = createContext({ countTokens: (text) => text.length / 3, limits });
  context.resetSystemPrompt("You answer in one sentence.");
  context.append("user", question);
  const { text, steps } = await generateText({
    model,
    tools: { today },
    stopWhen: stepCountIs(20),
    messages: context.conversation(),
    prepareStep: createPrepareStep(context, { cache: true }),
  });
  appendLastStep(context, steps); // the conversation is complete and can go on
  return text;
}
