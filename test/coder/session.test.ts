import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { failureOf } from "../../src/coder/failures.ts";
import { type CodedProject, createCoded, occurrences, sentIn, story } from "./coded.ts";
import type { ModelAnswer } from "./model/answer.ts";
import type { ModelRequest } from "./model/request.ts";

const call = (name: string, input: Record<string, unknown>) => ({ name, input });
const calls = (...made: ReturnType<typeof call>[]): ModelAnswer => ({ calls: made });
const done = (output: string) => calls(call("done", { output }));
const look = calls(call("read", { path: "README.md" }));

type Step = ModelAnswer | ((project: CodedProject) => Promise<ModelAnswer>);

const flow = (steps: string) => `name: story\ndescription: A small story\n${steps}`;
const single = flow('steps: [{ id: A, type: action, instructions: "Do it" }]\n');
const gated = flow('steps: [{ id: A, type: action, instructions: "Do it", gate: [{ run: test -e ok }] }]\n');

async function play(workflow: string, ...steps: readonly Step[]) {
  const project: CodedProject = await createCoded({
    workflow,
    answer: async (_request, index) => {
      const step = steps[index] ?? done("The end");
      return typeof step === "function" ? step(project) : step;
    },
  });
  const ended = await project.run("--no-wait");
  return { project, ended, requests: project.model.requests };
}

function runOf(project: CodedProject): string {
  return readdirSync(`${project.root}/.holdfast/runs`)[0] ?? "";
}

const lastText = (request: ModelRequest | undefined) => request?.messages.at(-1)?.text ?? "";
const lastResults = (request: ModelRequest | undefined) => request?.messages.at(-1)?.results.map(({ text }) => text);

describe("calls of a model", () => {
  test("a tool that does not exist is answered, and the turn goes on", async () => {
    const { ended, requests } = await play(single, calls(call("frobnicate", {})), calls(call("frobnicate", {})));
    expect(ended.code).toBe(0);
    expect(lastResults(requests[1])).toEqual([expect.stringContaining("frobnicate")]);
    expect(sentIn(requests[2] as ModelRequest)).not.toContain("without a result");
  });

  test("done beside a call that cannot be read does not end the step", async () => {
    const { ended, requests } = await play(
      single,
      calls(call("frobnicate", {}), call("done", { output: "Too early" })),
    );
    expect(ended.code).toBe(0);
    expect(lastResults(requests[1])?.[1]).toContain("must be called alone");
  });

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

  test("after long outputs has a smaller conversation", async () => {
    const { ended, requests } = await play(
      flow(
        'steps:\n  - { id: A, type: action, instructions: "Do it" }\n  - { id: B, type: action, instructions: "Go on", context: compact }\n',
      ),
      async (project) => {
        project.write("long.txt", "A line of a long file.\n".repeat(2_000));
        return calls(call("read", { path: "long.txt" }));
      },
      look,
      done("Read it"),
    );
    expect(ended.code).toBe(0);
    const [before, after] = requests.slice(-2).map((request) => sentIn(request).length);
    expect(after).toBeLessThan((before ?? 0) / 2);
  });
});

describe("a visit that goes on", () => {
  test("after a person has decided to try again, the model is asked instead of its old result being used", async () => {
    const { project, ended, requests } = await play(gated, done("1"), done("2"), done("3"), done("4"), async (own) => {
      own.write("ok", "");
      return done("Now it is there");
    });
    expect(ended.code).toBe(4);
    expect(await project.person("decide", "retry", "--feedback", "Make the file ok")).toMatchObject({ code: 0 });
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(requests).toHaveLength(5);
    expect(requests[4]?.system).toContain("Make the file ok");
    expect(lastText(requests[4])).toContain("not done yet");
  });

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
    expect(ended.code).toBe(0);
    const sent = sentIn(requests.at(-1) as ModelRequest);
    expect(occurrences(sent, "The visit is not done yet")).toBe(1);
    expect(occurrences(sent, told)).toBe(1);
  });
});

describe("a question", () => {
  const question = "May I use the key sk-ant-REDACTED-1234567890abcdef?";
  const asks = calls(call("ask_question", { question }));

  test("with a secret in it still gets its answer", async () => {
    const { project, ended, requests } = await play(single, asks);
    expect(ended.code).toBe(4);
    await project.person("answer", "Better not");
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(lastResults(requests[1])).toEqual([expect.stringContaining("Better not")]);
    expect(requests[1]?.system).not.toContain("Better not");
  });

  test("that was withdrawn is answered as such", async () => {
    const { project, requests } = await play(single, asks);
    expect(await project.person("withdraw")).toMatchObject({ code: 0 });
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(lastResults(requests[1])).toEqual([expect.stringContaining("There is no answer")]);
  });
});

describe("a conversation", () => {
  const cleared = flow(
    'transitions: [{ from: A, to: B, context: clear, carry: [A] }]\nsteps:\n  - { id: A, type: action, instructions: "Plan" }\n  - { id: B, type: action, instructions: "Build {outputs.A}" }\n',
  );

  test("that was cleared in the same process begins with nothing that index 0 says", async () => {
    const { requests } = await play(cleared, done("THE PLAN"));
    expect(requests[1]?.messages).toHaveLength(1);
    expect(occurrences(sentIn(requests[1] as ModelRequest), "THE PLAN")).toBe(1);
    expect(occurrences(sentIn(requests[1] as ModelRequest), story)).toBe(1);
  });

  test("that cannot be read is kept beside the new one", async () => {
    const { project } = await play(single, calls(call("ask_question", { question: "Which one?" })));
    const file = `.holdfast/runs/${runOf(project)}/coder`;
    project.write(`${file}.jsonl`, '{"holdfast":"of a later version"}\nmore\n');
    await project.person("answer", "This one");
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(project.read(`${file}.unreadable.jsonl`)).toContain("of a later version");
  });
});

test.each(["0", "0.5", "Mon, 01 Jan 2024 00:00:00 GMT"])(
  "a limit that ends at once (%s) is not asked again without a pause",
  (after) => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    const failure = failureOf({ statusCode: 429, responseHeaders: { "retry-after": after } }, now);
    expect(Date.parse(failure.until ?? "")).toBeGreaterThanOrEqual(now + 1_000);
  },
);
