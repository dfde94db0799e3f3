import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, jsonSchema, type LanguageModel, type ModelMessage, streamText, type ToolSet } from "ai";
import { expect, test } from "vitest";
import type { ErrorKind, ModelAnswer } from "./model/answer.ts";
import { script } from "./model/script.ts";
import { type ScriptedModel, startScriptedModel, type WireName } from "./model/start.ts";

// The scripted models that the tests of the agent rely on, through the SDK that the agent uses. What the SDK makes of each
// failure is written down here, because the agent tells failures apart by it.

const path = jsonSchema<{ path: string }>({
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
});
const tools: ToolSet = {
  read: { description: "Reads a file", inputSchema: path },
  write: { description: "Writes a file", inputSchema: path },
};

const apiKey = "scripted";
const clients: readonly [name: string, wire: WireName, connect: (baseURL: string) => LanguageModel][] = [
  ["anthropic", "anthropic", (baseURL) => createAnthropic({ baseURL, apiKey })("claude-sonnet-4-5")],
  ["openai", "openai-responses", (baseURL) => createOpenAI({ baseURL, apiKey })("gpt-5")],
  ["openai.chat", "openai-chat", (baseURL) => createOpenAI({ baseURL, apiKey }).chat("gpt-4o")],
  [
    "openai-compatible",
    "openai-chat",
    (baseURL) => createOpenAICompatible({ baseURL, apiKey, name: "local", includeUsage: true })("local"),
  ],
];

const providerOptions = {
  anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } },
  openai: { store: false, reasoningSummary: "auto" },
};

async function ask(model: LanguageModel, messages: ModelMessage[], more: { store?: boolean } = {}) {
  const openai = { ...providerOptions.openai, ...more };
  const result = streamText({
    model,
    system: "You are a coding agent",
    messages,
    tools,
    maxRetries: 0,
    onError: () => {},
    providerOptions: { ...providerOptions, openai },
  });
  const parts = [];
  try {
    for await (const part of result.fullStream) parts.push(part);
  } catch (thrown) {
    return { result, parts, thrown, error: undefined };
  }
  const error = parts.find((part) => part.type === "error")?.error;
  return { result, parts, thrown: undefined, error };
}

const question: ModelMessage[] = [{ role: "user", content: "What is in these files?" }];

async function answered(wire: WireName, answer: ModelAnswer): Promise<ScriptedModel> {
  return await startScriptedModel({ wire, answer: () => answer });
}

const twoCalls = [
  { name: "read", input: { path: "größe.txt" } },
  { name: "write", input: { path: "b.txt" } },
];

test.each(clients)("%s streams text, parallel calls and usage", async (_name, wire, connect) => {
  const usage = { input: 1200, output: 34, cacheRead: 1000 };
  const model = await answered(wire, { text: "Grüße 🌊, I look into both", calls: twoCalls, usage });
  const { result, parts } = await ask(connect(model.baseUrl), question);
  expect(await result.text).toBe("Grüße 🌊, I look into both");
  expect(parts.filter(({ type }) => type === "text-delta").length).toBeGreaterThan(2);
  expect(parts.filter(({ type }) => type === "tool-input-delta").length).toBeGreaterThan(4);
  expect((await result.toolCalls).map(({ toolName: name, input }) => ({ name, input }))).toEqual(twoCalls);
  expect(await result.finishReason).toBe("tool-calls");
  expect(await result.usage).toMatchObject({ inputTokens: 1200, outputTokens: 34, cachedInputTokens: 1000 });
});

test.each(clients)("%s takes its own reply back with the results of its calls", async (_name, wire, connect) => {
  const model = await startScriptedModel({
    wire,
    answer: script([{ thinking: "Both at once", text: "I look", calls: twoCalls }, { text: "Both are empty" }]),
  });
  await finishTwoTurns(connect(model.baseUrl));
  const [first, second] = model.requests;
  expect(first).toMatchObject({ system: "You are a coding agent", tools: ["read", "write"] });
  expect(second?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(second?.messages[1]).toMatchObject({ text: "I look", calls: twoCalls });
  expect(second?.messages[2]?.results.map(({ text }) => text)).toEqual(["it is empty", "it is empty"]);
  expect(model.violations).toEqual([]);
});

async function finishTwoTurns(model: LanguageModel, change = (said: ModelMessage[]) => said, more = {}) {
  const { result } = await ask(model, question, more);
  const said = (await result.response).messages;
  const results: ModelMessage = {
    role: "tool",
    content: (await result.toolCalls).map(({ toolCallId, toolName }) => ({
      type: "tool-result",
      toolCallId,
      toolName,
      output: { type: "text", value: "it is empty" },
    })),
  };
  return await ask(model, [...question, ...change([...said, results])], more);
}

test("OpenAI finds what it has stored by its id", async () => {
  const answer = script([{ thinking: "Both", text: "I look", calls: twoCalls }, { text: "Done" }]);
  const model = await startScriptedModel({ wire: "openai-responses", answer });
  const { result } = await finishTwoTurns(createOpenAI({ baseURL: model.baseUrl, apiKey })("gpt-5"), undefined, {
    store: true,
  });
  expect(await result.text).toBe("Done");
  expect(JSON.stringify(model.requests[1]?.body)).toContain("item_reference");
  expect(model.requests[1]?.messages[1]).toMatchObject({ text: "I look", calls: twoCalls });
});

/** Status, whether the SDK calls it retryable, and what the provider calls it. */
type Failure = readonly [status: number, isRetryable: boolean, name: string];
const anthropicFailures: Readonly<Record<Exclude<ErrorKind, "refusal">, Failure>> = {
  overloaded: [529, true, "overloaded_error"],
  "rate-limit": [429, true, "rate_limit_error"],
  "no-credit": [400, false, "invalid_request_error"],
  "bad-key": [401, false, "authentication_error"],
  "no-model": [404, false, "not_found_error"],
  overflow: [400, false, "invalid_request_error"],
  server: [500, true, "api_error"],
};
const openAiFailures: typeof anthropicFailures = {
  overloaded: [503, true, "server_error"],
  "rate-limit": [429, true, "rate_limit_exceeded"],
  // The SDK takes an empty account for a rate limit that passes.
  "no-credit": [429, true, "insufficient_quota"],
  "bad-key": [401, false, "invalid_api_key"],
  "no-model": [404, false, "model_not_found"],
  overflow: [400, false, "context_length_exceeded"],
  server: [500, true, "server_error"],
};

test.each(clients)("%s gives every HTTP error as one APICallError, without a retry", async (_name, wire, connect) => {
  const failures = wire === "anthropic" ? anthropicFailures : openAiFailures;
  for (const [kind, [statusCode, isRetryable, name]] of Object.entries(failures)) {
    const model = await answered(wire, { error: kind as keyof typeof failures, retryAfter: 7 });
    const { result, parts, error } = await ask(connect(model.baseUrl), question);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode, isRetryable, responseHeaders: { "retry-after": "7" } });
    expect(JSON.stringify((error as APICallError).data)).toContain(`"${name}"`);
    expect(parts.map(({ type }) => type)).toEqual(["start", "error"]);
    expect(model.requests).toHaveLength(1);
    await expect(result.usage).rejects.toThrow("No output generated");
  }
});
