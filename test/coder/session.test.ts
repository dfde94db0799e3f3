import { describe, expect, test } from "vitest";
import { failureOf } from "../../src/coder/failures.ts";
import { occurrences, sentIn, story } from "./coded.ts";
import type { ModelRequest } from "./model/request.ts";
import { asks, call, calls, done, flow, gated, lastResults, lastText, look, play, single } from "./session-project.ts";

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
});

describe("a step with context: compact", () => {
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
});

describe("a question", () => {
  test("with a secret in it still gets its answer", async () => {
    const { project, ended, requests } = await play(single, asks);
    expect(ended.code).toBe(4);
    await project.person("answer", "Better not");
    expect(await project.resume()).toMatchObject({ code: 0 });
    expect(lastResults(requests[1])).toEqual([expect.stringContaining("Better not")]);
    expect(requests[1]?.system).not.toContain("Better not");
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
});

test.each(["0", "0.5", "Mon, 01 Jan 2024 00:00:00 GMT"])(
  "a limit that ends at once (%s) is not asked again without a pause",
  (after) => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    const failure = failureOf({ statusCode: 429, responseHeaders: { "retry-after": after } }, now);
    expect(Date.parse(failure.until ?? "")).toBeGreaterThanOrEqual(now + 1_000);
  },
);
