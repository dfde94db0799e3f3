import { expect, test } from "vitest";
import {
  createPrepareStep,
  fromAnthropic,
  fromOpenAi,
  toAnthropic,
  toOpenAi,
} from "../../../src/context/adapters/index.ts";
import { createContext, type ModelMessage } from "../../../src/context/index.ts";
import { countTokens, options } from "../coder.ts";
import { anthropicProblems } from "./anthropic-rules.ts";
import { openAiProblems } from "./openai-rules.ts";

const system: ModelMessage = { role: "system", content: "You are a coder." };
const conversation: ModelMessage[] = [
  system,
  { role: "user", content: "Read both." },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "EqQB+/=" } } },
      { type: "tool-call", toolCallId: "a", toolName: "read", input: { path: "x" } },
      { type: "tool-call", toolCallId: "b", toolName: "read", input: { path: "y" } },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "a", toolName: "read", output: { type: "text", value: "one" } },
      { type: "tool-result", toolCallId: "b", toolName: "read", output: { type: "error-text", value: "no such file" } },
    ],
  },
  { role: "system", content: "Two minutes left." },
  { role: "user", content: "Hurry!" },
];

test("Anthropic: one turn for results and what follows them, results first, notes kept, errors marked", () => {
  const body = toAnthropic(conversation);
  expect(body).toEqual({
    system: [{ type: "text", text: "You are a coder." }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Read both." }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "EqQB+/=" },
          { type: "tool_use", id: "a", name: "read", input: { path: "x" } },
          { type: "tool_use", id: "b", name: "read", input: { path: "y" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "one" },
          { type: "tool_result", tool_use_id: "b", content: "no such file", is_error: true },
          { type: "text", text: "[System note] Two minutes left." },
          { type: "text", text: "Hurry!" },
        ],
      },
    ],
  });
  expect(anthropicProblems(body)).toEqual([]);
});

test("OpenAI: a message for each result, notes in their place", () => {
  const body = toOpenAi(conversation);
  expect(body).toEqual({
    messages: [
      { role: "system", content: "You are a coder." },
      { role: "user", content: "Read both." },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "a", type: "function", function: { name: "read", arguments: '{"path":"x"}' } },
          { id: "b", type: "function", function: { name: "read", arguments: '{"path":"y"}' } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "one" },
      { role: "tool", tool_call_id: "b", content: "no such file" },
      { role: "system", content: "Two minutes left." },
      { role: "user", content: "Hurry!" },
    ],
  });
  expect(openAiProblems(body)).toEqual([]);
});

test("Anthropic's thoughts and signatures come back untouched", () => {
  const blocks = [
    { type: "thinking" as const, thinking: "  let me\n\nsee ", signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h+/==" },
    { type: "redacted_thinking" as const, data: "EmwKAhgBEgy3va3pzix" },
    { type: "text" as const, text: "I look. " },
    { type: "tool_use" as const, id: "toolu_01", name: "read", input: { path: "a b", deep: [null, 1.5, "é"] } },
  ];
  const context = createContext(options);
  context.append("user", "Go.");
  context.append("assistant", fromAnthropic(blocks));
  context.append("tool", "ok");
  expect(toAnthropic(context.messages()).messages[1]).toEqual({ role: "assistant", content: blocks });
});

test("OpenAI's reply comes back as it was", () => {
  const reply = {
    content: "I look.",
    tool_calls: [{ id: "call_1", type: "function" as const, function: { name: "read", arguments: '{"path":"a"}' } }],
  };
  const context = createContext(options);
  context.append("user", "Go.");
  context.append("assistant", fromOpenAi(reply));
  context.append("tool", "ok");
  expect(toOpenAi(context.messages()).messages[1]).toEqual({ role: "assistant", ...reply });
});

test("ids and names that a provider would refuse are rewritten, each to its own", () => {
  const context = createContext(options);
  context.append("user", "Go.");
  const ids = ["call|1", "call.1", "x".repeat(70), "fine_1"];
  context.append(
    "assistant",
    ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "my tool", input: "no object" })),
  );
  context.repair();
  expect(anthropicProblems(toAnthropic(context.messages()))).toEqual([]);
  expect(openAiProblems(toOpenAi(context.messages()))).toEqual([]);
  expect(JSON.stringify(toAnthropic(context.messages()))).toContain('"id":"fine_1"');
});

test("words said before a thought step behind it, for a turn must begin with its thoughts", () => {
  const body = toAnthropic([
    { role: "user", content: "Go." },
    { role: "assistant", content: "Phase 2" },
    ...conversation.slice(2, 4),
  ]);
  expect(body.messages[1]?.content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use", "tool_use"]);
  expect(anthropicProblems(body)).toEqual([]);
});

test("a reply that is to be continued does not end in white space; others stay as they were", () => {
  const said = (text: string): ModelMessage => ({ role: "assistant", content: [{ type: "text", text }] });
  const go: ModelMessage = { role: "user", content: "Go." };
  const body = toAnthropic([go, said("First. "), go, said("Second, \n")]);
  expect(body.messages.flatMap(({ content }) => content.map((block) => block.type === "text" && block.text))).toEqual([
    ...["Go.", "First. ", "Go.", "Second,"],
  ]);
});

test("cache marks stand on the prompt and the last two stable turns, before what changes", () => {
  const context = createContext(options);
  context.resetSystemPrompt("You are a coder.");
  context.append("user", "one");
  context.append("assistant", "two");
  context.append("user", "three");
  context.setVolatile("Todo: 1 of 3");
  const body = toAnthropic(context.messages(), { cache: true });
  const mark = { cache_control: { type: "ephemeral" } };
  expect(body).toEqual({
    system: [{ type: "text", text: "You are a coder.", ...mark }],
    messages: [
      { role: "user", content: [{ type: "text", text: "one", ...mark }] },
      { role: "assistant", content: [{ type: "text", text: "two" }] },
      {
        role: "user",
        content: [
          { type: "text", text: "three", ...mark },
          { type: "text", text: "Todo: 1 of 3" },
        ],
      },
    ],
  });
});

test("media goes where each provider has a place for it, and elsewhere it is an error", () => {
  const user = (...content: Extract<ModelMessage, { role: "user" }>["content"][]): ModelMessage[] => [
    { role: "user", content: content.flat() as never },
  ];
  const png = user([{ type: "image", image: "iVBORw0KGgo=" }]);
  const link = user([{ type: "image", image: "https://example.com/a.png" }]);
  const text = user([{ type: "file", data: "w6k=", mediaType: "text/plain", filename: "e.txt" }]);
  const zip = user([{ type: "file", data: "UEs=", mediaType: "application/zip" }]);
  expect([png, link, text].map((messages) => toAnthropic(messages).messages[0]?.content[0])).toEqual([
    { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
    { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "é" }, title: "e.txt" },
  ]);
  expect(toOpenAi(png).messages[0]?.content).toEqual([
    { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
  ]);
  expect(() => toAnthropic(zip)).toThrow("Anthropic does not support parts of type application/zip");
});

test("there is nothing to send before the user has spoken", () => {
  expect(() => toAnthropic([system])).toThrow("there is no message to send");
  expect(() => toOpenAi([system])).toThrow("there is no message to send");
});

/** Plays the AI SDK's loop: what `prepareStep` is given, step by step, in its older and in its newer manner. */
async function play(newer: boolean, steps: number) {
  const context = createContext({ countTokens, limits: { window: 2_000 } });
  const prepareStep = createPrepareStep(context);
  const initial: ModelMessage[] = [{ role: "user", content: "Read everything." }];
  const responses: ModelMessage[] = [];
  let last = initial;
  let largest = 0;
  context.resetSystemPrompt("You are a coder.");
  for (let n = 0; n < steps; n++) {
    const messages = newer ? last : [...initial, ...responses];
    const usage = { inputTokens: context.tokens() };
    const step = await prepareStep({
      stepNumber: n,
      messages,
      steps: n === 0 ? [] : [{ usage }],
      ...(newer && { responseMessages: responses }),
    });
    expect(step.system).toBe("You are a coder.");
    expect(anthropicProblems(toAnthropic(step.messages))).toEqual([]);
    largest = Math.max(largest, context.tokens());
    const reply: ModelMessage[] = [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: `c${n}`, toolName: "read", input: { n } }] },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: `c${n}`,
            toolName: "read",
            output: { type: "text", value: "x".repeat(900) },
          },
        ],
      },
    ];
    responses.push(...reply);
    last = [...step.messages, ...reply];
  }
  return { largest, kept: context.log().length };
}

test.each([
  ["that hands on all messages", false],
  ["that hands on what the last step sent", true],
])("prepareStep takes every reply once and stays under the limit, with an SDK %s", async (_name, newer) => {
  const { largest, kept } = await play(newer, 30);
  expect(kept).toBe(1 + 2 * 29);
  expect(largest).toBeLessThanOrEqual(2_000);
});

test("prepareStep puts notes into the user's mouth, since providers behind the SDK take system messages in front only", async () => {
  const context = createContext(options);
  context.append("user", "Go.");
  context.append("assistant", "Going.");
  context.append("system", "Two minutes left.");
  const step = await createPrepareStep(context)({ stepNumber: 0, messages: context.conversation() });
  expect(step.messages.at(-1)).toEqual({ role: "user", content: "[System note] Two minutes left." });
  expect(context.log().length).toBe(3);
});
