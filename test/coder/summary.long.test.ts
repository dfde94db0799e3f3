import { describe, expect, test } from "vitest";
import { sentIn } from "./coded.ts";
import { call, expectDigest, expectSummary, play, summary } from "./full-window.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";
import type { WireName } from "./model/start.ts";

describe.each(["openai-responses", "openai-chat"] satisfies WireName[])("a full window with %s", (wire) => {
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
    ["an overload", { error: "overloaded" }],
    ["a call", call("list", { path: "." })],
    ["a reply that was cut", { text: '{"goal": "Gre', stop: "length" }],
    ["a lost connection", { broken: "cut" }],
  ];
  test.each(cases)("%s: the digest is used, and nobody is asked twice", (_name, answer) => expectDigest(answer));
});
