import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, stepCountIs, type ToolSet, tool } from "ai";
import { afterEach, expect, test } from "vitest";
import * as z from "zod";
import { appendLastStep, createPrepareStep, toAiSdk } from "../../../src/context/adapters/index.ts";
import { createContext } from "../../../src/context/index.ts";
import { countTokens, options } from "../coder.ts";
import { anthropicProblems } from "./anthropic-rules.ts";
import { anthropicReply, type Body, type ModelServer, startModelServer } from "./model-server.ts";

// The real AI SDK with its real provider, against a server that records what arrives.

let server: ModelServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function anthropic(script: (n: number) => object[], more: object = {}) {
  server = await startModelServer((n, body) => anthropicReply(body, script(n), more));
  return {
    model: createAnthropic({ baseURL: server.url, apiKey: "test" })("claude-sonnet-4-5"),
    requests: server.requests,
  };
}

const read = tool({
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => `${path}: ${"word ".repeat(200)}`,
});

type Marked = { text?: string; type?: string; tool_use_id?: string; cache_control?: object };

/** The blocks of a request that carry a mark, by what they are. */
function marksOf({ system, messages }: Body): [string, unknown][] {
  const turns = messages as { content: Marked[] }[];
  return [...(system as Marked[]), ...turns.flatMap(({ content }) => content)].flatMap((block) =>
    block.cache_control === undefined
      ? []
      : [[block.text ?? block.tool_use_id ?? String(block.type), block.cache_control]],
  );
}

test("prepareStep marks prompt and last stable turns of every request for the prompt cache", async () => {
  const { model, requests } = await anthropic((n) =>
    n === 6
      ? [{ type: "text", text: "Done." }]
      : [{ type: "tool_use", id: `c${n}`, name: "read", input: { path: `src/${n}.ts` } }],
  );
  const context = createContext({ countTokens, limits: { window: 1_500 } });
  context.resetSystemPrompt("You are a coder.");
  context.append("user", "Read everything.");
  context.setVolatile("Todo: 1 of 3");
  const { text } = await generateText({
    model,
    tools: { read },
    stopWhen: stepCountIs(10),
    messages: context.conversation(),
    prepareStep: createPrepareStep(context, { cache: true }),
  });
  expect(text).toBe("Done.");
  const mark = { type: "ephemeral" };
  expect(requests.map(marksOf).slice(0, 4)).toEqual([
    [
      ["You are a coder.", mark],
      ["Read everything.", mark],
    ],
    [
      ["You are a coder.", mark],
      ["Read everything.", mark],
      ["c0", mark],
    ],
    [
      ["You are a coder.", mark],
      ["c0", mark],
      ["c1", mark],
    ],
    [
      ["You are a coder.", mark],
      ["c1", mark],
      ["c2", mark],
    ],
  ]);
  expect(requests.every((body) => marksOf(body).length >= 2)).toBe(true);
  for (const { system, messages } of requests) expect(anthropicProblems({ system, messages })).toEqual([]);
  expect(JSON.stringify(requests.at(-1))).toContain("cleared");
});

test("a call without prepareStep gets the same marks from toAiSdk, with the time that they live", async () => {
  const { model, requests } = await anthropic(() => [{ type: "text", text: "Yes." }]);
  const context = createContext(options);
  context.resetSystemPrompt("You are a coder.");
  context.append("user", "Go.");
  context.append("assistant", "Going.");
  context.append("system", "Two minutes left.");
  context.setVolatile("Todo: 1 of 3");
  await generateText({ model, ...toAiSdk(context.messages(), { cache: { ttl: "1h" } }) });
  const mark = { type: "ephemeral", ttl: "1h" };
  expect(requests.map(marksOf)).toEqual([
    [
      ["You are a coder.", mark],
      ["Go.", mark],
      ["[System note] Two minutes left.", mark],
    ],
  ]);
});

test("without cache there is no mark, and with it a message keeps its other options", async () => {
  const { model, requests } = await anthropic(() => [{ type: "text", text: "Yes." }]);
  const context = createContext(options);
  context.resetSystemPrompt("You are a coder.");
  context.append("user", "Go.", { providerOptions: { anthropic: { citations: { enabled: true } } } });
  await generateText({ model, ...toAiSdk(context.messages()) });
  expect(requests.map(marksOf)).toEqual([[]]);
  expect(toAiSdk(context.messages(), { cache: true }).messages[0]?.providerOptions).toEqual({
    anthropic: { citations: { enabled: true }, cacheControl: { type: "ephemeral" } },
  });
});

const call = (id: string) => ({ type: "tool_use", id, name: "read", input: { path: `${id}.ts` } });

test("appendLastStep takes the step that prepareStep has not seen, and every message once", async () => {
  const { model } = await anthropic((n) => (n === 2 ? [{ type: "text", text: "Done." }] : [call(`c${n}`)]));
  const context = createContext(options);
  context.append("user", "Read both.");
  const { steps } = await generateText({
    model,
    tools: { read },
    stopWhen: stepCountIs(10),
    messages: context.conversation(),
    prepareStep: createPrepareStep(context),
  });
  expect(context.conversation().length).toBe(5);
  appendLastStep(context, steps);
  expect(context.conversation().map(({ role }) => role)).toEqual([
    ...["user", "assistant", "tool", "assistant", "tool", "assistant"],
  ]);
  expect(context.conversation().at(-1)?.content).toEqual([{ type: "text", text: "Done." }]);
});

test("a loop of one call per step needs no more than toAiSdk and appendLastStep", async () => {
  const { model, requests } = await anthropic((n) =>
    n === 3
      ? [{ type: "text", text: "Done." }]
      : [{ type: "thinking", thinking: "hm", signature: "s=" }, call(`c${n}`)],
  );
  const context = createContext(options);
  context.resetSystemPrompt("You are a coder.");
  context.append("user", "Read all.");
  for (let n = 0; n < 4; n++) {
    const { steps } = await generateText({ model, tools: { read }, ...toAiSdk(context.messages(), { cache: true }) });
    appendLastStep(context, steps);
  }
  expect(requests.map(({ messages }) => (messages as unknown[]).length)).toEqual([1, 3, 5, 7]);
  expect(JSON.stringify(requests.at(-1)).split('"signature":"s="').length).toBe(4);
  for (const { system, messages } of requests) expect(anthropicProblems({ system, messages })).toEqual([]);
});

test("of a reply that hit its length limit, a call that was not run is left out", async () => {
  const { model } = await anthropic(() => [{ type: "text", text: "I look." }, call("c0")], {
    stop_reason: "max_tokens",
  });
  const given: ToolSet = { read: { inputSchema: z.object({ path: z.string() }) } };
  const context = createContext(options);
  context.append("user", "Read.");
  const { steps } = await generateText({ model, tools: given, ...toAiSdk(context.messages()) });
  appendLastStep(context, steps);
  expect(context.outstanding()).toEqual([]);
  expect(context.conversation().at(-1)?.content).toEqual([{ type: "text", text: "I look." }]);
});
