import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, expect, test } from "vitest";
import { ask as askAiSdk } from "../../../examples/ai-sdk.ts";
import { ask as askAnthropic } from "../../../examples/anthropic.ts";
import { ask as askChat } from "../../../examples/openai-chat.ts";
import { ask as askResponses } from "../../../examples/openai-responses.ts";
import { anthropicProblems } from "./anthropic-rules.ts";
import { anthropicReply, type Body, type ModelServer, startModelServer } from "./model-server.ts";
import { openAiProblems } from "./openai-rules.ts";
import { responsesProblems } from "./responses-rules.ts";

// Every example, with the real SDK, asks for the day and then answers.

let server: ModelServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function serve(script: (n: number, body: Body) => unknown): Promise<ModelServer> {
  server = await startModelServer(script);
  return server;
}

const anthropicScript = (n: number, body: Body) =>
  anthropicReply(
    body,
    n === 0
      ? [
          { type: "thinking", thinking: "hm", signature: "s=" },
          { type: "tool_use", id: "t1", name: "today", input: {} },
        ]
      : [{ type: "text", text: "It is Monday." }],
  );

function expectAnthropic(requests: readonly Body[]): void {
  expect(requests.length).toBe(2);
  for (const { system, messages } of requests) expect(anthropicProblems({ system, messages })).toEqual([]);
  const last = JSON.stringify(requests[1]);
  expect(["cache_control", "Monday", '"signature":"s="'].filter((text) => !last.includes(text))).toEqual([]);
}

test("the example for Anthropic's SDK", async () => {
  const { url, requests } = await serve(anthropicScript);
  const answer = await askAnthropic("Which day is it?", new Anthropic({ apiKey: "test", baseURL: url }));
  expect(answer).toBe("It is Monday.");
  expectAnthropic(requests);
});

test("the example for the AI SDK", async () => {
  const { url, requests } = await serve(anthropicScript);
  const model = createAnthropic({ apiKey: "test", baseURL: url })("claude-sonnet-4-5");
  expect(await askAiSdk("Which day is it?", model)).toBe("It is Monday.");
  expectAnthropic(requests);
});

test("the example for OpenAI's Chat Completions API", async () => {
  const { url, requests } = await serve((n) => {
    const call = { id: "c1", type: "function", function: { name: "today", arguments: "{}" } };
    const message = n === 0 ? { content: null, tool_calls: [call] } : { content: "It is Monday." };
    const choice = { index: 0, message: { role: "assistant", refusal: null, ...message }, finish_reason: "stop" };
    return { id: "x", object: "chat.completion", created: 0, model: "gpt-5", choices: [choice] };
  });
  const answer = await askChat("Which day is it?", new OpenAI({ apiKey: "test", baseURL: url }));
  expect(answer).toBe("It is Monday.");
  expect(requests.flatMap(({ messages }) => openAiProblems({ messages }))).toEqual([]);
  expect(requests[1]?.messages).toContainEqual({ role: "tool", tool_call_id: "c1", content: "Monday" });
});

test("the example for OpenAI's Responses API", async () => {
  const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" };
  const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "today", arguments: "{}" };
  const content = [{ type: "output_text", text: "It is Monday.", annotations: [] }];
  const said = { type: "message", role: "assistant", id: "msg_1", status: "completed", content };
  const { url, requests } = await serve((n) => ({
    id: "resp_1",
    object: "response",
    status: "completed",
    output: n === 0 ? [thought, call] : [said],
  }));
  const answer = await askResponses("Which day is it?", new OpenAI({ apiKey: "test", baseURL: url }));
  expect(answer).toBe("It is Monday.");
  expect(requests.flatMap(({ instructions, input }) => responsesProblems({ instructions, input }))).toEqual([]);
  expect(requests.map(({ store }) => store)).toEqual([false, false]);
  expect(requests[1]?.input).toEqual(expect.arrayContaining([thought, call]));
});
