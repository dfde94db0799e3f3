import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type CodedProject, occurrences, sentIn } from "./coded.ts";
import type { ModelRequest } from "./model/request.ts";
import { asks, call, calls, done, flow, gated, lastResults, lastText, look, play, single } from "./session-project.ts";

function runOf(project: CodedProject): string {
  return readdirSync(`${project.root}/.holdfast/runs`)[0] ?? "";
}

describe("calls of a model", () => {
  test("a reply that was cut in a call that cannot be read is asked for again", async () => {
    const { ended, requests } = await play(single, { ...calls(call("frobnicate", {})), stop: "length" });
    expect(ended.code).toBe(0);
    expect(lastText(requests[1])).toContain("cut off by its length limit");
    expect(requests[1]?.messages).toHaveLength(1);
  });
});

describe("a step with context: compact", () => {
  test.each([
    ["the first of a run", "done", 'steps: [{ id: A, type: action, instructions: "Do it", context: compact }]\n'],
    [
      "after a short one",
      // Everything must stay, so nothing is said to be compacted.
      "the agent could not do it",
      'steps:\n  - { id: A, type: action, instructions: "Do it" }\n  - { id: B, type: action, instructions: "Go on", context: compact }\n',
    ],
  ])("%s has nothing that could be compacted, and begins", async (_name, said, steps) => {
    const { ended } = await play(flow(steps));
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(`compact: ${said}`) });
  });
});

describe("a visit that goes on", () => {
  test("after text without a result, the request does not end with the model's own words", async () => {
    const { project, ended, requests } = await play(single, { text: "I am finished." }, { text: "Really." });
    expect(ended.code).toBe(4);
    await project.person("decide", "retry");
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(requests.at(-1)?.messages.at(-1)?.role).toBe("user");
  });

  test("after an overload nothing is said twice: neither what failed nor what a person has told", async () => {
    const told = "Be brief, please.";
    const { ended, requests } = await play(
      gated,
      async (project) => {
        await project.person("tell", runOf(project), told);
        return done("Nothing to do");
      },
      look,
      { error: "overloaded" },
      async (project) => {
        project.write("ok", "");
        return done("It is there");
      },
    );
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ {2}trying again at [\d:]{8}: .* 529: Overloaded\n/),
    });
    const sent = sentIn(requests.at(-1) as ModelRequest);
    expect(occurrences(sent, "The visit is not done yet")).toBe(1);
    expect(occurrences(sent, told)).toBe(1);
  });
});

describe("a question", () => {
  test("that was withdrawn is answered as such", async () => {
    const { project, requests } = await play(single, asks);
    expect(await project.person("withdraw")).toMatchObject({ code: 0 });
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(lastResults(requests[1])).toEqual([expect.stringContaining("There is no answer")]);
  });
});

describe("a conversation", () => {
  test("that cannot be read is kept beside the new one", async () => {
    const { project } = await play(single, calls(call("ask_question", { question: "Which one?" })));
    const file = `.holdfast/runs/${runOf(project)}/coder`;
    project.write(`${file}.jsonl`, '{"holdfast":"of a later version"}\nmore\n');
    await project.person("answer", "This one");
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(project.read(`${file}.unreadable.jsonl`)).toContain("of a later version");
  });
});
