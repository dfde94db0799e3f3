import { describe, expect, test } from "vitest";
import { expectDigest, expectSummary, hasSummary, play } from "./full-window.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { WireName } from "./model/start.ts";

describe.each(["anthropic"] satisfies WireName[])("a full window with %s", (wire) => {
  test("is summed up by the model, at the price of a cached request", () => expectSummary(wire));
});

describe("a summary that cannot be had", () => {
  const cases: readonly [name: string, answer: ModelAnswer][] = [
    ["prose", { text: "We have looked at a lot of lines." }],
  ];
  test.each(cases)("%s: the digest is used, and nobody is asked twice", (_name, answer) => expectDigest(answer));

  test.each([
    ["where the user wants none", "anthropic", "  summary: digest\n"],
    ["where nothing is known of a cache, unless the user asks for it", "openai-chat", ""],
  ] as const)("%s, no model is asked", async (_name, wire, settings) => {
    const { ended, requests, wishes } = await play(wire, settings, {});
    expect(ended.code).toBe(0);
    expect(wishes).toEqual([]);
    expect(hasSummary(requests.at(-1))).toBe(true);
  });
});
