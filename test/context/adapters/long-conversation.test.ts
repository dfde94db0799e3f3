import { expect, test } from "vitest";
import { converse, providers, sharedPrefix } from "./long-conversation.ts";

const names = Object.keys(providers) as (keyof typeof providers)[];

test.each(names)("%s: of 300 turns in a small window, no request is invalid", async (provider) => {
  const { sent, compactions } = await converse(provider, 6_000);
  expect(sent.flatMap(providers[provider].problems)).toEqual([]);
  expect(sent.length).toBe(300);
  expect(compactions).toBeGreaterThan(20);
});

test.each(["anthropic"] as const)(
  "%s: in a window of 60,000 tokens, 95 of 100 bytes can come from a prompt cache",
  async (provider) => {
    const { sent, compactions } = await converse(provider, 60_000);
    expect(compactions).toBeGreaterThan(3);
    expect(sharedPrefix(sent)).toBeGreaterThanOrEqual(0.95);
  },
);
