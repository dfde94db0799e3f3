import { describe, expect, test } from "vitest";
import { createCoded } from "./coded.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";
import type { WireName } from "./model/start.ts";
import { call, calls, expectWholeStory, question } from "./whole-story.ts";

describe.each(["anthropic", "openai-responses", "openai-chat"] satisfies WireName[])(
  "a whole story with %s",
  (wire) => {
    test("comes to its end, and the requests keep the rules of the context", () => expectWholeStory(wire));
  },
);

describe("a provider that does not answer as it should", () => {
  test("an overload is tried again, and nothing is said twice", async () => {
    const answer = (_request: ModelRequest, index: number): ModelAnswer =>
      index === 1
        ? { error: "overloaded" }
        : index === 0
          ? calls(call("read", { path: "README.md" }))
          : calls(call("ask_question", { question }));
    const project = await createCoded({ answer });
    expect(await project.run()).toMatchObject({ code: 4, stdout: expect.stringContaining(question) });
    const [, refused, again] = project.model.requests;
    expect(again?.body).toEqual(refused?.body);
  });
});
