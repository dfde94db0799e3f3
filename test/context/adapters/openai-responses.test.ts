import { expect, test } from "vitest";
import { fromOpenAiResponses, toAnthropic, toOpenAi, toOpenAiResponses } from "../../../src/context/adapters/index.ts";
import { createContext, type ModelMessage } from "../../../src/context/index.ts";
import { options } from "../coder.ts";
import { anthropicProblems } from "./anthropic-rules.ts";
import { openAiProblems } from "./openai-rules.ts";
import { responsesProblems } from "./responses-rules.ts";

const thought = (id: string, encrypted: string | null = "gAAAA+/=") => ({
  type: "reasoning",
  id,
  summary: [
    { type: "summary_text", text: "First." },
    { type: "summary_text", text: "Then." },
  ],
  encrypted_content: encrypted,
});
const call = { type: "function_call", call_id: "c1", name: "read", arguments: '{"path":"a"}', id: "fc_1" };
const said = {
  type: "message",
  role: "assistant",
  id: "msg_1",
  status: "completed",
  content: [{ type: "output_text", text: "I look.", annotations: [] }],
  phase: "commentary",
};
const search = {
  type: "web_search_call",
  id: "ws_1",
  status: "completed",
  action: { type: "search", query: "passkeys", sources: [{ url: "https://example.com" }] },
};

function reply(...output: { type: string }[]) {
  const context = createContext(options);
  context.resetSystemPrompt("You are a coder.");
  context.append("user", "Go.");
  context.append("assistant", fromOpenAiResponses(output));
  if (context.outstanding().length > 0) context.append("tool", "ok");
  return context;
}

test("what the Responses API has answered comes back as it was, with reasoning and its own tools' items", () => {
  const output = [thought("rs_1"), search, thought("rs_2"), said, call];
  const context = reply(...output);
  context.append("system", "Two minutes left.");
  const body = toOpenAiResponses(context.messages());
  expect(body).toEqual({
    instructions: "You are a coder.",
    input: [
      { type: "message", role: "user", content: "Go." },
      ...output,
      { type: "function_call_output", call_id: "c1", output: "ok" },
      { type: "message", role: "system", content: "Two minutes left." },
    ],
  });
  expect(responsesProblems(body)).toEqual([]);
});

test("reasoning that nobody stores is left out, and with it the ids that refer to it", () => {
  const { input } = toOpenAiResponses(reply(thought("rs_1", null), said, call).messages());
  expect(input.slice(1, 3)).toEqual([
    { type: "message", role: "assistant", content: "I look.", phase: "commentary" },
    { type: "function_call", call_id: "c1", name: "read", arguments: '{"path":"a"}' },
  ]);
});

test("reasoning whose call was cut off is left out, since the API wants what follows it", () => {
  const context = createContext(options);
  context.append("user", "Go.");
  context.append("assistant", fromOpenAiResponses([thought("rs_1"), said, thought("rs_2"), call]), { truncated: true });
  context.append("user", "Go on.");
  const body = toOpenAiResponses(context.messages());
  expect(body.input.map(({ type }) => type)).toEqual(["message", "reasoning", "message", "message"]);
  expect(responsesProblems(body)).toEqual([]);
});

test("a conversation with items of OpenAI's tools can go on with another provider", () => {
  const context = reply(thought("rs_1"), search);
  context.append("user", "Go on.");
  expect(context.outstanding()).toEqual([]);
  expect(openAiProblems(toOpenAi(context.messages()))).toEqual([]);
  expect(anthropicProblems(toAnthropic(context.messages()))).toEqual([]);
});

test("media in questions and results, and text before the user has spoken", () => {
  const messages: ModelMessage[] = [
    { role: "user", content: [{ type: "file", data: "JVBERi0=", mediaType: "application/pdf", filename: "a.pdf" }] },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c.1", toolName: "see it", input: {} }] },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c.1",
          toolName: "see it",
          output: { type: "content", value: [{ type: "image-data", data: "iVBORw0KGgo=", mediaType: "image/png" }] },
        },
      ],
    },
  ];
  const body = toOpenAiResponses(messages);
  expect(responsesProblems(body)).toEqual([]);
  expect(body.input[0]).toMatchObject({
    content: [{ type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" }],
  });
  expect(body.input[2]).toMatchObject({
    output: [{ type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBORw0KGgo=" }],
  });
  expect(() => toOpenAiResponses([{ role: "system", content: "s" }])).toThrow("there is no message to send");
});

test("a call that only OpenAI's own kinds of result can answer is refused", () => {
  expect(() => fromOpenAiResponses([{ type: "computer_call" }])).toThrow("parts of type computer_call");
});
