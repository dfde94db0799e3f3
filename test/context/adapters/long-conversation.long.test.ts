import { expect, test } from "vitest";
import { converse, expectValidRequests, sharedPrefix } from "./long-conversation.ts";

test.each(["anthropic", "openai", "responses"] as const)(
  "%s: in a window of 60,000 tokens, 95 of 100 bytes can come from a prompt cache",
  async (provider) => {
    const { sent, compactions } = await converse(provider, 60_000);
    expect(compactions).toBeGreaterThan(3);
    expect(sharedPrefix(sent)).toBeGreaterThanOrEqual(0.95);
  },
);

test.each(["openai", "responses"] as const)(
  "%s: of 300 turns in a small window, no request is invalid",
  expectValidRequests,
);
