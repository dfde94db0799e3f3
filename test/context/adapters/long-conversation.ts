import { expect } from "vitest";
import { toAnthropic, toOpenAi, toOpenAiResponses } from "../../../src/context/adapters/index.ts";
import {
  type AssistantPart,
  createContext,
  type ModelMessage,
  type ToolResultPart,
} from "../../../src/context/index.ts";
import { countTokens } from "../coder.ts";
import { anthropicProblems } from "./anthropic-rules.ts";
import { openAiProblems } from "./openai-rules.ts";
import { responsesProblems } from "./responses-rules.ts";

// A coder's conversation: thoughts, one to three calls a turn, outputs of a few hundred to a few thousand characters.

const thoughtsOf: Readonly<Record<string, (n: number) => AssistantPart[]>> = {
  anthropic: (n) => [
    { type: "reasoning", text: `Turn ${n}.`, providerOptions: { anthropic: { signature: `sig${n}=` } } },
  ],
  openai: () => [],
  responses: (n) => [
    {
      type: "reasoning",
      text: `Turn ${n}.`,
      providerOptions: { openai: { itemId: `rs_${n}`, reasoningEncryptedContent: `gAAA${n}` } },
    },
  ],
};

export const providers = {
  anthropic: {
    convert: (messages: ModelMessage[]) => toAnthropic(messages, { cache: { ttl: "1h" } }),
    problems: anthropicProblems,
  },
  openai: { convert: toOpenAi, problems: openAiProblems },
  responses: { convert: toOpenAiResponses, problems: responsesProblems },
} as const;

function turn(n: number, provider: string): { reply: AssistantPart[]; results: ToolResultPart[] } {
  const calls = Array.from({ length: 1 + (n % 3) }, (_, k) => ({
    toolCallId: `call_${n}_${k}`,
    toolName: "read_file",
  }));
  return {
    reply: [
      ...(thoughtsOf[provider]?.(n) ?? []),
      ...(n % 4 === 0 ? [{ type: "text", text: `Next I read file ${n}.` } as const] : []),
      ...calls.map((call, k) => ({ type: "tool-call", ...call, input: { path: `src/${n}-${k}.ts` } }) as const),
    ],
    results: calls.map((call, k) => ({
      type: "tool-result",
      ...call,
      output: { type: "text", value: `${n}/${k} ${"const x = 1;\n".repeat(20 + ((n * 37 + k * 101) % 250))}` },
    })),
  };
}

/** The requests of 300 turns. */
export async function converse(provider: keyof typeof providers, window: number) {
  const { convert } = providers[provider];
  const context = createContext({ countTokens, limits: { window, reserve: Math.floor(window / 10) } });
  context.resetSystemPrompt(`You are a coder. ${"Follow the rules of the house. ".repeat(60)}`);
  context.append("user", "Make the change.");
  const sent: object[] = [];
  let compactions = 0;
  for (let n = 0; n < 300; n++) {
    context.setVolatile(`Todo: ${n} of 300`);
    const { status } = await context.compact();
    if (status === "compacted") compactions++;
    sent.push(convert(context.messages()));
    const { reply, results } = turn(n, provider);
    context.append("assistant", reply);
    context.append("tool", results);
  }
  return { sent, compactions };
}

export async function expectValidRequests(provider: keyof typeof providers): Promise<void> {
  const { sent, compactions } = await converse(provider, 6_000);
  expect(sent.flatMap(providers[provider].problems)).toEqual([]);
  expect(sent.length).toBe(300);
  expect(compactions).toBeGreaterThan(20);
}

/** The share of everything sent that is the same, from the first byte on, as in the request before. */
export function sharedPrefix(sent: readonly object[]): number {
  // A mark says where the provider stores a prefix and is not part of it.
  const texts = sent.map((body) => JSON.stringify(body).replaceAll(/,"cache_control":\{[^}]*\}/g, ""));
  const shared = texts.map((text, n) => prefixLength(texts[n - 1] ?? "", text));
  const sum = (numbers: readonly number[]) => numbers.slice(1).reduce((total, number) => total + number, 0);
  return sum(shared) / sum(texts.map((text) => text.length));
}

function prefixLength(before: string, text: string): number {
  let low = 0;
  let high = Math.min(before.length, text.length);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (before.slice(low, middle) === text.slice(low, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
