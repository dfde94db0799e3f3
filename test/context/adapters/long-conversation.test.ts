import { expect, test } from "vitest";
import { converse, providers } from "./long-conversation.ts";

const names = Object.keys(providers) as (keyof typeof providers)[];

test.each(names)("%s: of 300 turns in a small window, no request is invalid", async (provider) => {
  const { sent, compactions } = await converse(provider, 6_000);
  expect(sent.flatMap(providers[provider].problems)).toEqual([]);
  expect(sent.length).toBe(300);
  expect(compactions).toBeGreaterThan(20);
});
