import { describe, test } from "vitest";
import { call, expectDigest, expectSummary } from "./full-window.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { WireName } from "./model/start.ts";

describe.each(["openai-responses", "openai-chat"] satisfies WireName[])("a full window with %s", (wire) => {
  test("is summed up by the model, at the price of a cached request", () => expectSummary(wire));
});

describe("a summary that cannot be had", () => {
  const cases: readonly [name: string, answer: ModelAnswer][] = [
    ["a call", call("list", { path: "." })],
    ["a reply that was cut", { text: '{"goal": "Gre', stop: "length" }],
    ["a lost connection", { broken: "cut" }],
  ];
  test.each(cases)("%s: the digest is used, and nobody is asked twice", (_name, answer) => expectDigest(answer));
});
