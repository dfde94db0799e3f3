import { expect, test } from "vitest";
import { createContext } from "../../../src/context/index.ts";
import { createTokenCounter } from "../../../src/context/tokenizer.ts";
import { options, story } from "../coder.ts";

const one = { countTokens: (text: string) => text.length, limits: { window: 10_000 } };

test("counts include the prompt, calls, results, tool schemas, waiting and changing text", () => {
  const context = createContext({ ...one, tools: [{ name: "read" }] });
  const steps: number[] = [context.tokens()];
  const then = (act: () => unknown) => {
    act();
    steps.push(context.tokens());
  };
  then(() => context.resetSystemPrompt("123456"));
  then(() => context.append("user", "1234"));
  then(() => context.append("assistant", [{ type: "tool-call", toolCallId: "a", toolName: "b", input: {} }]));
  then(() => context.append("user", "waiting"));
  then(() => context.append("tool", "12345"));
  then(() => context.setVolatile("1"));
  expect(steps).toEqual([17, 27, 35, 49, 60, 74, 79]);
});

test("each message is counted once, however often the total is asked for", () => {
  let counted = 0;
  const countTokens = (text: string) => {
    counted++;
    return text.length;
  };
  const context = createContext({ ...one, countTokens });
  for (let n = 0; n < 100; n++) {
    context.append("user", `message ${n}`);
    context.tokens();
  }
  expect(counted).toBe(100);
});

test("counts round up, and a counter that counts nonsense is an error", () => {
  const context = createContext({ ...one, countTokens: () => 0.1 });
  context.append("user", "x");
  expect(context.tokens()).toBe(5);
  const broken = createContext({ ...one, countTokens: () => Number.NaN });
  broken.append("user", "x");
  expect(() => broken.tokens()).toThrow("countTokens counted NaN tokens");
});

test("the usage that a provider reports corrects the count, also of what comes later", () => {
  const context = createContext(one);
  context.append("user", "x".repeat(96));
  context.reportUsage(150);
  expect(context.tokens()).toBe(150);
  context.append("assistant", "y".repeat(96));
  expect(context.tokens()).toBe(300);
  context.reportUsage(20);
  expect(context.tokens()).toBe(300);
  expect(() => context.reportUsage(0)).toThrow("the reported usage is no number of tokens");
});

test("another model has its own limit and its own count", async () => {
  const context = createContext(one);
  for (let n = 0; n < 50; n++) context.append("user", "x".repeat(96));
  expect([context.tokens(), context.limit()]).toEqual([5_000, 10_000]);
  context.useModel({ countTokens: (text) => text.length * 2, limits: { window: 4_000, reserve: 500 } });
  expect([context.tokens(), context.limit()]).toEqual([9_800, 3_500]);
  expect((await context.compact()).after).toBeLessThanOrEqual(3_500);
});

test("adding content at the limit and far over it never throws", () => {
  const context = createContext({ ...one, limits: { window: 100 } });
  for (let n = 0; n < 50; n++) context.append("user", "x".repeat(n * 20));
  expect(context.tokens()).toBeGreaterThan(20_000);
});

test("options that mean nothing are refused", () => {
  expect(() => createContext({ ...one, limits: { window: 0 } })).toThrow(
    "limits.window is not a whole number of tokens",
  );
  expect(() => createContext({ ...one, limits: { window: 9, reserve: 9 } })).toThrow("limits.reserve leaves nothing");
  expect(() => createContext({ ...one, headroom: 1 })).toThrow("headroom is not a share between 0 and 1");
});

test("the tokenizer is a real one, with a margin for providers that have another", () => {
  const text = "The quick brown fox jumps over the lazy dog. ".repeat(10);
  expect([createTokenCounter("openai")(text), createTokenCounter("anthropic")(text)]).toEqual([104, 137]);
});

test("the tokenizer takes a model's own signs as plain text, and long runs of anything", () => {
  const count = createTokenCounter();
  expect(count("<|endoftext|> <|im_start|>")).toBeGreaterThan(10);
  for (const sign of ["a", " ", "\n", "=", "あ", "🎉", "\u0000"])
    expect(count(sign.repeat(50_000))).toBeGreaterThan(100);
});

test("a context with the real tokenizer stays under its target", async () => {
  const context = createContext({ ...options, countTokens: createTokenCounter("anthropic") });
  context.enter("CODING", { story });
  for (let n = 0; n < 60; n++)
    context.append(n % 2 === 0 ? "assistant" : "user", `${n} 日本語 ${"words and more words ".repeat(20)}`);
  expect((await context.compact(2_000)).after).toBeLessThanOrEqual(2_000);
});
