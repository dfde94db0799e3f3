import type Anthropic from "@anthropic-ai/sdk";
import type { generateText } from "ai";
import type OpenAI from "openai";
import { expect, test } from "vitest";
import {
  createPrepareStep,
  fromAnthropic,
  fromOpenAi,
  fromOpenAiResponses,
  toAiSdk,
  toAnthropic,
  toOpenAi,
  toOpenAiResponses,
} from "../../../src/context/adapters/index.ts";
import { createContext } from "../../../src/context/index.ts";
import { options } from "../coder.ts";

// Mainly for the compiler: what the adapters take and give is what the SDKs give and take, without a cast.

function asked() {
  const context = createContext(options);
  context.resetSystemPrompt("You are a coder.");
  context.append("user", [
    { type: "text", text: "Look." },
    { type: "image", image: "iVBORw0KGgo=" },
  ]);
  return context;
}

test("Anthropic's SDK and the adapters understand each other's types", () => {
  const message: Pick<Anthropic.Message, "content"> = {
    content: [
      { type: "thinking", thinking: "hm", signature: "s=" },
      { type: "text", text: "I look.", citations: null },
      { type: "tool_use", id: "t1", name: "read", input: {}, caller: { type: "direct" } },
    ],
  };
  const context = asked();
  context.append("assistant", fromAnthropic(message.content));
  context.append("tool", "ok");
  const body: Anthropic.MessageCreateParamsNonStreaming = {
    model: "claude-sonnet-4-5",
    max_tokens: 1_000,
    ...toAnthropic(context.messages(), { cache: { ttl: "1h" } }),
  };
  expect(body.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});

test("OpenAI's SDK and the adapters understand each other's types", () => {
  const message: OpenAI.ChatCompletionMessage = {
    role: "assistant",
    content: null,
    refusal: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }],
  };
  const context = asked();
  context.append("assistant", fromOpenAi(message));
  context.append("tool", "ok");
  const body: OpenAI.ChatCompletionCreateParamsNonStreaming = { model: "gpt-5", ...toOpenAi(context.messages()) };
  expect(body.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
});

test("OpenAI's SDK and the adapters of the Responses API understand each other's types", () => {
  const response: Pick<OpenAI.Responses.Response, "output"> = {
    output: [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
      { type: "function_call", id: "fc_1", call_id: "c1", name: "read", arguments: "{}", status: "completed" },
    ],
  };
  const context = asked();
  context.append("assistant", fromOpenAiResponses(response.output));
  context.append("tool", "ok");
  const body: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
    model: "gpt-5",
    store: false,
    include: ["reasoning.encrypted_content"],
    ...toOpenAiResponses(context.messages()),
  };
  expect(body.instructions).toBe("You are a coder.");
});

test("the AI SDK takes what toAiSdk and prepareStep give", async () => {
  type Call = Parameters<typeof generateText>[0];
  const context = asked();
  const prompt: Pick<Call, "system" | "messages"> = toAiSdk(context.messages(), { cache: true });
  const prepareStep: Call["prepareStep"] = createPrepareStep(context);
  expect([prompt.messages?.length, typeof prepareStep]).toEqual([1, "function"]);
});
