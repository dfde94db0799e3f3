import { describe, expect, test } from "vitest";
import { sentIn } from "./coded.ts";
import { expectDigest, expectSummary, hasSummary, play, summary } from "./full-window.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";
import type { WireName } from "./model/start.ts";

describe.each(["anthropic"] satisfies WireName[])("a full window with %s", (wire) => {
  test("is summed up by the model, at the price of a cached request", () => expectSummary(wire));
});

test("a summary that is far too long keeps what is newest of it", async () => {
  const done = Array.from({ length: 60_000 }, (_, index) => `did part ${index}`);
  const { ended, requests } = await play("anthropic", "", { text: JSON.stringify({ goal: summary.goal, done }) });
  expect(ended.code, ended.stdout + ended.stderr).toBe(0);
  const sent = sentIn(requests.at(-1) as ModelRequest);
  expect(sent).toContain(`Goal: ${summary.goal}`);
  expect(sent).toContain("did part 59999");
  expect(sent).not.toContain("did part 10000");
});

describe("a summary that cannot be had", () => {
  const cases: readonly [name: string, answer: ModelAnswer][] = [
    ["prose", { text: "We have looked at a lot of lines." }],
    ["an overload", { error: "overloaded" }],
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
